"""Lineage across pipelines."""

from __future__ import annotations

from fastapi import APIRouter

from compiled_plan.service.lineage.drawing import Lineage, lineage_of
from compiled_plan.service.lineage.uses import uses_of
from compiled_plan.service.web.depends import PartsOf, Viewer

router = APIRouter(prefix="/lineage", tags=["lineage"])


@router.get("", summary="Tables with the pipelines that write and read them, as a graph")
def get_lineage(who: Viewer, parts: PartsOf) -> Lineage:
    """Of the versions in force. Tables are identified as in OpenLineage: by topic and brokers, path, or database."""
    uses = uses_of(parts.database, parts.workers)
    return lineage_of(uses.tables, uses.pending)
