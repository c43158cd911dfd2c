"""Compilation and validation without storing the result."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from compiled_plan.planner.sql.grammar.reserved_words import RESERVED
from compiled_plan.plans.inspection.diff.document import Document
from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.plans.text import jsontext
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.web.depends import Editor, PartsOf, Viewer
from compiled_plan.service.web.documents import Plan, RequestBody, Short
from compiled_plan.service.web.versions import ProgramOrPlan, before, compared
from compiled_plan.service.workers import tasks

router = APIRouter(tags=["compiling"])


class ToCompile(ProgramOrPlan):
    """A program, or a plan."""

    over: Short | None = Field(
        default=None, description="pipeline whose version in force is compiled over, and whose state is compared with"
    )


class Compiled(BaseModel):
    """A compiled plan."""

    plan: dict[str, object] = Field(description="the plan file, with secrets masked")
    operators: int
    stateful: int = Field(description="operators with TTLs")
    warnings: list[str]
    graph: Graph
    diff: Annotated[dict[str, object] | None, Field(description="with `over`, the document of `diff-plan --json`")]


class ToComplete(RequestBody):
    """A SQL script with a cursor."""

    before: Text = Field(description="script before the cursor")
    after: Text = Field(default="", description="script after the cursor")
    options: dict[Short, Short] = Field(default={}, description="as for `compile`")


class Completion(BaseModel):
    """A completion."""

    text: str = Field(description="text that replaces the typed one")
    typed: int = Field(description="number of characters before the cursor that it replaces")
    shown: str = Field(description="text for display")


class Words(BaseModel):
    """Words of Flink SQL."""

    keywords: list[str] = Field(description="reserved words")


class ToValidate(RequestBody):
    """A plan."""

    plan: Plan | Text


class Validated(BaseModel):
    """Errors and warnings of a plan, as in `edit-plan --check --json`."""

    valid: bool
    findings: list[dict[str, object]]
    checkedAtStart: list[dict[str, object]]


@router.post("/compile", summary="Compile a program or read a plan, without storing it", response_model=Compiled)
def compile_program(who: Editor, parts: PartsOf, body: ToCompile) -> Response:
    """With `over`, compare it with a pipeline: verdicts by operator, and the state that would be restored."""
    old = before(parts, body.over) if body.over is not None else None
    compiled = programs.prepare(parts, body.source(), old)
    plan = compiled.version.plan
    diff = None
    if old is not None:
        assert body.over is not None
        diff = Document.model_validate(compared(parts, body.over, plan, "new"))
    document = Compiled(
        plan={},
        operators=compiled.version.operators,
        stateful=compiled.version.stateful,
        warnings=list(compiled.warnings),
        graph=Graph.model_validate(parts.workers.run_once(tasks.stored.graph, plan=plan)),
        diff=None if diff is None else diff.model_dump(by_alias=True),
    ).model_dump_json(exclude={"plan"}, by_alias=True)
    # The plan stays text: pydantic writes 255 levels, and expressions have more.
    text = f'{{"plan": {parts.workers.run_once(tasks.stored.shown_plan, plan=plan)}, {document[1:]}'
    return Response(text, media_type="application/json")


@router.post("/complete", summary="Completions at the cursor in a SQL script")
def complete(who: Editor, parts: PartsOf, body: ToComplete) -> list[Completion]:
    """Keywords from the grammar, tables, columns and functions from the declarations before the cursor, options."""
    programs.check_size(parts.settings, body.before + body.after)
    candidates = parts.workers.run(
        tasks.submitted.complete,
        before=body.before,
        after=body.after,
        settings=body.options,
        allowed=programs.allowed(parts.settings).fields(),
    )
    return [Completion.model_validate(candidate) for candidate in candidates]


@router.get("/words", summary="Words of Flink SQL, for highlighting")
def words(who: Viewer) -> Words:
    """The reserved words of the grammar."""
    return Words(keywords=sorted(RESERVED))


@router.post("/validate", summary="Errors and warnings of a plan, without storing it")
def validate_plan(who: Editor, parts: PartsOf, body: ToValidate) -> Validated:
    """Each finding has its location, the value, and a remedy."""
    text = body.plan if isinstance(body.plan, str) else jsontext.dumps(body.plan)
    programs.check_size(parts.settings, text)
    return Validated.model_validate(parts.workers.run(tasks.submitted.check, plan=text), extra="ignore")
