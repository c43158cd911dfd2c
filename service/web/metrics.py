"""Figures for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from compiled_plan.service.metrics.figures import Figures
from compiled_plan.service.web.depends import Viewer

router = APIRouter(tags=["service"])
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/metrics", summary="Figures of all runs for Prometheus", responses={200: {"content": {"text/plain": {}}}})
def metrics(who: Viewer, request: Request) -> Response:
    """With the names that `execute-plan --metrics-port` has; `plan` is the pipeline."""
    found = request.app.state.figures
    assert isinstance(found, Figures)
    return Response(found.text(), media_type=_TYPE)
