"""Current figures of a run: rates on edges, state and its growth, percentiles."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from compiled_plan.plans.inspection.graph.document import Graph
from compiled_plan.plans.telemetry.figures import EdgeFigures, RunFigures, edge_figures
from compiled_plan.service.metrics.sizes import checkpoint_bytes
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import Status
from compiled_plan.service.web.depends import Name, PartsOf, Viewer
from compiled_plan.service.web.plans import text_of
from compiled_plan.service.web.runs import RunsOf
from compiled_plan.service.workers import tasks

router = APIRouter(prefix="/pipelines/{name}/run", tags=["runs"])


class CurrentFigures(BaseModel):
    """Current figures of a run, from its last 15 minutes."""

    version: int = Field(description="number of the version that runs or ran last; 0 for none")
    figures: RunFigures | None = Field(description="null before the first micro-batch")
    edges: list[EdgeFigures] = Field(description="rows per second on edges of the version's graph, where counted")
    checkpoint_bytes: int = Field(description="size of the checkpoint's files, at most 30 s old")


def current(figures: RunFigures | None, version: int, graph: Graph | None, size: int) -> CurrentFigures:
    """The document of figures and the graph of their version."""
    edges = [] if figures is None or graph is None else edge_figures(graph, figures)
    return CurrentFigures(version=version, figures=figures, edges=edges, checkpoint_bytes=size)


@router.get("/figures", summary="Current figures of the run: rates, state, percentiles")
def get_figures(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name) -> CurrentFigures:
    """The figures of `/metrics`, and the rows per second on each edge that is counted."""
    with parts.database.read() as session:
        id_ = pipelines.find(session, name).id
        status = session.get(Status, id_)
        version = status.version if status is not None else 0
    figures = runs.recent.of(id_).figures
    graph = None
    if figures is not None and version:
        graph = Graph.model_validate(parts.workers.run_once(tasks.stored.graph, plan=text_of(parts, name, version)))
    return current(figures, version, graph, checkpoint_bytes(runs.checkpoint(id_)))
