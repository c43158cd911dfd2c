"""Whether the service works."""

from __future__ import annotations

from typing import Literal

from anyio import to_thread
from fastapi import APIRouter, Request
from pydantic import BaseModel
from sqlalchemy import text

from compiled_plan.service.web.depends import parts_of

router = APIRouter(tags=["service"])


class Health(BaseModel):
    """The service answers, and its database does."""

    status: Literal["ok"] = "ok"


@router.get("/health", summary="Whether the service and its database answer")
async def health(request: Request) -> Health:
    """Needs no token."""
    database = parts_of(request).database

    def look() -> None:
        with database.read() as session:
            session.execute(text("SELECT 1"))

    await to_thread.run_sync(look, limiter=request.app.state.health_threads)
    return Health()
