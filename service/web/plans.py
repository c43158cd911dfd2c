"""The plan of a version: file, graph, TTLs, stages, and the differences between two plans."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from compiled_plan.plans.inspection.diff.document import Document
from compiled_plan.plans.inspection.graph.document import Graph, GraphNode
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.web.depends import Name, PartsOf, Viewer
from compiled_plan.service.web.versions import Number, compared
from compiled_plan.service.workers import tasks

router = APIRouter(prefix="/pipelines/{name}", tags=["plans"])
#: Versions are immutable; `no-cache` still checks access at each request.
_CACHED = {"Cache-Control": "private, no-cache"}


class Stages(BaseModel):
    """The stages of a plan, as in `execute-plan --dry-run --json`, and as text."""

    model_config = ConfigDict(extra="allow")

    text: str = Field(description="output of `--dry-run`: sources, stages with their operators and TTLs, sinks")
    stages: list[dict[str, object]]


def text_of(parts: Parts, name: str, number: int) -> str:
    """The original text of a version's plan, with secrets."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        return versions.plan_text(session, versions.find(session, pipeline, number))


@router.get("/versions/{number}/plan", summary="The plan file", response_model=dict[str, object])
def get_plan(who: Viewer, parts: PartsOf, name: Name, number: Number) -> Response:
    """The stored text, unchanged except for masked secrets."""
    text = parts.workers.run_once(tasks.stored.shown_plan, plan=text_of(parts, name, number))
    headers = {**_CACHED, "Content-Disposition": f'inline; filename="{name}-{number}.json"'}
    return Response(text, media_type="application/json", headers=headers)


class PlanNodeDocument(GraphNode):
    """An operator."""

    readable: bool = Field(description="a source or sink whose rows `POST /preview` shows")


class PlanGraph(Graph):
    """A plan as a drawing."""

    nodes: list[PlanNodeDocument]


@router.get("/versions/{number}/graph", summary="Graph of the plan: operators with coordinates, and edges")
def get_graph(who: Viewer, parts: PartsOf, name: Name, number: Number) -> PlanGraph:
    """The service computes the layout, so that clients only draw."""
    return PlanGraph.model_validate(parts.workers.run_once(tasks.stored.graph, plan=text_of(parts, name, number)))


@router.get("/versions/{number}/state", summary="State entries of the plan, as in `edit-plan --json`")
def get_entries(who: Viewer, parts: PartsOf, name: Name, number: Number) -> dict[str, object]:
    """Each entry has its operator, its TTL, and the compiled TTL if it was edited."""
    entries = parts.workers.run_once(tasks.stored.state, plan=text_of(parts, name, number))
    return {**entries, "plan": f"{name}/{number}"}


@router.get("/versions/{number}/stages", summary="Stages of the plan: a dry run")
def get_stages(who: Viewer, parts: PartsOf, name: Name, number: Number) -> Stages:
    """The output of `execute-plan --dry-run`; 422 with the reason if the plan cannot run."""
    return Stages.model_validate(parts.workers.run_once(tasks.runs.stages, plan=text_of(parts, name, number)))


@router.get(
    "/diff", summary="Differences between two versions: the document of `diff-plan --json`", response_model=Document
)
def get_diff(
    who: Viewer,
    parts: PartsOf,
    name: Name,
    new: Annotated[int, Query(alias="to", ge=1, le=2**31 - 1, description="number of a version")],
    old: Annotated[
        int | None,
        Query(alias="from", ge=1, le=2**31 - 1, description="number of a version; by default the checkpoint's program"),
    ] = None,
) -> Response:
    """With a verdict by operator on the state that is restored."""
    if old is None:
        return JSONResponse(compared(parts, name, text_of(parts, name, new), f"{name}/{new}"))
    texts = [text_of(parts, name, number) for number in (old, new)]
    names = [f"{name}/{number}" for number in (old, new)]
    diff = parts.workers.run_once(tasks.stored.diff, old=texts[0], new=texts[1], old_name=names[0], new_name=names[1])
    return JSONResponse(diff)
