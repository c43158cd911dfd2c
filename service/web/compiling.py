"""Programs and plans that are looked at, and not kept."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from compiled_plan.plans.inspection.diff.document import Document
from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.plans.text import jsontext
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.web.depends import Editor, PartsOf
from compiled_plan.service.web.documents import Asked, Short
from compiled_plan.service.web.versions import Given, before, compared

router = APIRouter(tags=["compiling"])


class ToCompile(Given):
    """A program, or a plan."""

    over: Short | None = Field(
        default=None, description="a pipeline: compiled over its version in force, and compared with the state it holds"
    )


class Compiled(BaseModel):
    """A plan, and what is said of it."""

    plan: dict[str, Any] = Field(description="the plan file, with secrets hidden")
    operators: int
    stateful: int = Field(description="operators with TTLs")
    warnings: list[str]
    graph: Graph
    diff: Annotated[dict[str, Any] | None, Field(description="the document of `diff-plan --json`, with `over`")]


class ToValidate(Asked):
    """A plan."""

    plan: dict[str, Any] | Text


class Validated(BaseModel):
    """What is wrong or doubtful in a plan; as `edit-plan --check --json`."""

    valid: bool
    findings: list[dict[str, Any]]
    checkedAtStart: list[dict[str, Any]]


@router.post("/compile", summary="Compile a program, or read a plan; nothing is written")
def compile_program(who: Editor, parts: PartsOf, body: ToCompile) -> Compiled:
    """With `over`, what it would mean for a pipeline: verdicts by operator, and what would be kept."""
    old = before(parts, body.over) if body.over is not None else None
    compiled = programs.make(parts, body.source(), old)
    plan = compiled.version.plan
    diff = None
    if old is not None:
        assert body.over is not None
        diff = Document.model_validate(compared(parts, body.over, plan, "new"))
    return Compiled(
        plan=json.loads(parts.workers.run_once("shown_plan", plan=plan)),
        operators=compiled.version.operators,
        stateful=compiled.version.stateful,
        warnings=list(compiled.warnings),
        graph=Graph.model_validate(parts.workers.run_once("graph", plan=plan)),
        diff=None if diff is None else diff.model_dump(by_alias=True),
    )


@router.post("/validate", summary="All that is wrong or doubtful in a plan; nothing is written")
def validate_plan(who: Editor, parts: PartsOf, body: ToValidate) -> Validated:
    """Each finding with its place, the value found there, and what to do."""
    text = body.plan if isinstance(body.plan, str) else jsontext.dumps(body.plan)
    programs.check_size(parts.settings, text)
    return Validated.model_validate(parts.workers.run("check", plan=text), extra="ignore")
