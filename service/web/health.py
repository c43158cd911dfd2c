"""Health check and Prometheus metrics."""

from __future__ import annotations

from typing import Literal

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy import text

from compiled_plan.service.metrics.figures import Figures
from compiled_plan.service.web.depends import Viewer, parts_of

router = APIRouter(tags=["service"])
#: A separate router, since it is also served outside of the API.
metrics_router = APIRouter(tags=["service"])
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Health(BaseModel):
    """The service and its database respond."""

    status: Literal["ok"] = "ok"


@router.get("/health", summary="Health of the service and its database")
async def health(request: Request) -> Health:
    """Requires no token."""
    database = parts_of(request).database

    def look() -> None:
        with database.read() as session:
            session.execute(text("SELECT 1"))

    await to_thread.run_sync(look, limiter=request.app.state.health_threads)
    return Health()


@metrics_router.get(
    "/metrics", summary="Prometheus metrics of all runs", responses={200: {"content": {"text/plain": {}}}}
)
def metrics(who: Viewer, request: Request) -> Response:
    """With the names of `execute-plan --metrics-port`; the label `plan` is the pipeline."""
    figures = request.app.state.figures
    assert isinstance(figures, Figures)
    return Response(figures.text(), media_type=_TYPE)
