"""TTLs: check and apply edits."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field, StringConstraints

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.access.problems import shown
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.web.depends import Editor, IdempotencyKey, IfMatch, Name, PartsOf, Viewer, expected
from compiled_plan.service.web.documents import RequestBody, Short, version_summary
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.web.plans import text_of
from compiled_plan.service.web.versions import Added, Number, added, verdict_of
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.tasks.results import TtlFields

router = APIRouter(prefix="/pipelines/{name}/versions/{number}/ttl", tags=["TTLs"])
_Name = Annotated[Short, StringConstraints(min_length=1, max_length=300)]


class Edit(RequestBody):
    """A TTL to set."""

    node: _Name | Annotated[int, Field(ge=0)] = Field(description="uid of the operator, or id of its node")
    state: _Name | Annotated[int, Field(ge=0)] = Field(description="name of the state entry, or number of its input")
    ttl: _Name = Field(description="a duration; 0 never expires", examples=["3 d"])

    def fields(self) -> TtlFields:
        """The edit for a worker."""
        return {"node": self.node, "state": self.state, "ttl": self.ttl}


class Edits(RequestBody):
    """TTLs to set."""

    edits: Annotated[list[Edit], Field(min_length=1, max_length=1000)]


class TtlEdit(Edits):
    """A new version with other TTLs."""

    comment: Short = ""
    put_in_force: bool = True


class Change(BaseModel):
    """A changed TTL, as in `edit-plan --json`."""

    node: int
    uid: str
    entry: str
    old: str
    new: str
    doubt: str = Field(description="warning about the new TTL")


class EditProblem(BaseModel):
    """The reason why an edit is refused."""

    edit: int = Field(description="index of the edit in the request, from 0")
    message: str
    where: str
    value: str
    remedy: str


class Checked(BaseModel):
    """The effect of edits."""

    valid: bool
    problems: list[EditProblem]
    changes: list[Change]
    warnings: list[dict[str, object]] = Field(description="warnings about the resulting plan, as in `edit-plan --json`")


@router.post("/check", summary="Check edits without storing them")
def check_ttl(who: Viewer, parts: PartsOf, name: Name, number: Number, body: Edits) -> Checked:
    """Returns all refused edits with their reasons; fast enough to check input while typing."""
    text = text_of(parts, name, number)
    problems: list[EditProblem] = []
    good: list[TtlFields] = []
    for at, edit in enumerate(body.edits):
        try:
            parts.workers.run_once(tasks.stored.ttl, plan=text, edits=[edit.fields()])
            good.append(edit.fields())
        except CompiledPlanError as fault:
            message, where = shown(fault.message), shown(fault.where)
            problems.append(EditProblem(edit=at, message=message, where=where, value=edit.ttl, remedy=fault.remedy))
    document = {"valid": not problems, "problems": problems, "changes": [], "warnings": []}
    if good:
        document |= parts.workers.run_once(tasks.stored.ttl, plan=text, edits=good)
    return Checked.model_validate(document)


@router.post(
    "", status_code=201, response_model=Added, summary="Set TTLs in a new version, whose plan is otherwise unchanged"
)
def edit_ttl(
    who: Editor,
    parts: PartsOf,
    name: Name,
    number: Number,
    body: TtlEdit,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """412 if the pipeline or its version in force has changed since it was read, which prevents lost updates."""
    tag = expected(if_match)

    def add(keep: Keep) -> Added:
        text = text_of(parts, name, number)
        result = parts.workers.run_once(tasks.stored.ttl, plan=text, edits=[edit.fields() for edit in body.edits])
        verdict = verdict_of(parts, name, result["plan"])
        with parts.database.write() as session:
            pipeline = pipelines.find_unmoved(session, name, tag)
            parent = versions.find(session, pipeline, number)
            new = versions.NewVersion(
                kind="ttl-edit",
                plan=result["plan"],
                operators=result["operators"],
                stateful=result["stateful"],
                program=versions.program_text(session, parent),
                language=parent.language,
                options=parent.options,
                origin=parent.origin,
                comment=body.comment,
                parent=number,
            )
            version = versions.add(session, pipeline, new, who.name, in_force=body.put_in_force)
            said = [str(finding["message"]) for finding in result["warnings"]]
            answer = added(pipeline, version_summary(pipeline, version), said, verdict)
            keep(session, answer)
            return answer

    return once(parts, who, f"POST ttl of {name} {number}", idempotency_key, [tag, body], add, 201)
