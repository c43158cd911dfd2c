"""The plan of a version: as a file, as a drawing, its TTLs, how it runs, and what differs between two."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from compiled_plan.plans.inspection.diff.document import Document
from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.web.depends import Name, PartsOf, Viewer
from compiled_plan.service.web.versions import Number, compared

router = APIRouter(prefix="/pipelines/{name}", tags=["plans"])
#: A version is never changed: who has its drawing need not ask again, once it is known that they may see it.
_CACHED = {"Cache-Control": "private, no-cache"}


class Stages(BaseModel):
    """How a plan runs; as `execute-plan --dry-run --json`, and as text."""

    model_config = ConfigDict(extra="allow")

    text: str = Field(description="sources, stages with their operators and TTLs, sinks, as `--dry-run` prints them")
    stages: list[dict[str, Any]]


def text_of(parts: Parts, name: str, number: int) -> str:
    """The plan of a version, secrets and all."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        return versions.plan_text(session, versions.find(session, pipeline, number))


@router.get("/versions/{number}/plan", summary="The plan file", response_model=dict[str, Any])
def get_plan(who: Viewer, parts: PartsOf, name: Name, number: Number) -> Response:
    """What is secret in it is hidden; else it is the text that was stored, character by character."""
    text = parts.workers.run_once("shown_plan", plan=text_of(parts, name, number))
    headers = {**_CACHED, "Content-Disposition": f'inline; filename="{name}-{number}.json"'}
    return Response(text, media_type="application/json", headers=headers)


@router.get("/versions/{number}/graph", summary="The plan as a drawing: operators with their places, and edges")
def get_graph(who: Viewer, parts: PartsOf, name: Name, number: Number) -> Graph:
    """Places are computed here: who draws only draws."""
    return Graph.model_validate(parts.workers.run_once("graph", plan=text_of(parts, name, number)))


@router.get("/versions/{number}/state", summary="The state entries of the plan: what `edit-plan --json` prints")
def get_entries(who: Viewer, parts: PartsOf, name: Name, number: Number) -> dict[str, Any]:
    """Each with its operator, its TTL, and the TTL that the program gave, where it was edited."""
    entries = parts.workers.run_once("state", plan=text_of(parts, name, number))
    return {**entries, "plan": f"{name}/{number}"}


@router.get("/versions/{number}/stages", summary="How the plan would run: a dry run")
def get_stages(who: Viewer, parts: PartsOf, name: Name, number: Number) -> Stages:
    """What `execute-plan --dry-run` shows; 422 with the reason where it cannot run."""
    return Stages.model_validate(parts.workers.run_once("stages", plan=text_of(parts, name, number)))


@router.get(
    "/diff", summary="What differs between two versions: the document of `diff-plan --json`", response_model=Document
)
def get_diff(
    who: Viewer,
    parts: PartsOf,
    name: Name,
    new: Annotated[int, Query(alias="to", ge=1, le=2**31 - 1, description="number of a version")],
    old: Annotated[
        int | None,
        Query(alias="from", ge=1, le=2**31 - 1, description="number of a version; the state that is held, if left out"),
    ] = None,
) -> Response:
    """With the verdict by operator: what becomes of its state."""
    if old is None:
        return JSONResponse(compared(parts, name, text_of(parts, name, new), f"{name}/{new}"))
    texts = [text_of(parts, name, number) for number in (old, new)]
    names = [f"{name}/{number}" for number in (old, new)]
    diff = parts.workers.run_once("diff", old=texts[0], new=texts[1], old_name=names[0], new_name=names[1])
    return JSONResponse(diff)
