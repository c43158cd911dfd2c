"""The application of the service: routers, error handlers, and its lifespan."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, FastAPI

from compiled_plan.service.access import problems
from compiled_plan.service.access.door import Door
from compiled_plan.service.alerts.watch import Watch
from compiled_plan.service.alerts.webhooks import Delivery
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.metrics.figures import Figures
from compiled_plan.service.page import add_page
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.registry.programs import allowed
from compiled_plan.service.runs import asking
from compiled_plan.service.runs.supervisor import EXECUTE_PLAN, INSPECT_STATE, PREVIEW_ROWS, Supervisor
from compiled_plan.service.store import idempotent
from compiled_plan.service.store.database import open_database
from compiled_plan.service.web import (
    access,
    alerts,
    compiling,
    examples,
    figures,
    health,
    lineage,
    pipelines,
    plans,
    previews,
    runs,
    secrets,
    shadows,
    state,
    testing,
    ttls,
    upgrades,
    versions,
)
from compiled_plan.service.web.description import Application, roles_of
from compiled_plan.service.workers.pool import Workers
from compiled_plan.service.workers.test_jobs import TestJobs

PREFIX = "/api/v1"
#: All routers of the API, in the order of its OpenAPI document.
ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    health.metrics_router,
    access.router,
    pipelines.router,
    versions.router,
    plans.router,
    ttls.router,
    compiling.router,
    testing.router,
    examples.router,
    runs.router,
    figures.router,
    upgrades.router,
    shadows.router,
    state.router,
    previews.router,
    previews.tap_router,
    secrets.router,
    alerts.router,
    lineage.router,
)


def application(
    settings: Settings,
    workers: Workers | None = None,
    command: Sequence[str] = EXECUTE_PLAN,
    inspect: Sequence[str] = INSPECT_STATE,
    umask: int = -1,
    preview: Sequence[str] = PREVIEW_ROWS,
) -> FastAPI:
    """The service as an ASGI application. It creates or migrates its database.

    Args:
        settings: the settings of the service.
        workers: shared workers, which the caller closes; by default the service's own.
        command: the command that runs plans.
        inspect: the command that inspects state.
        umask: the umask of runs; negative for that of the service.
        preview: the command that previews rows.
    """
    parts = Parts(settings, open_database(settings), workers or Workers(settings.limits))

    supervisor = Supervisor(
        settings.home,
        parts.database,
        command,
        allowed=allowed(settings),
        keep=settings.keep,
        inspect=inspect,
        preview=preview,
        umask=umask,
        vault=parts.vault,
    )

    supervisor.after_tick = Watch(parts.database, settings.alerts.rules, supervisor.recent).tick
    tests = TestJobs(settings.limits)
    delivery = Delivery(parts.database, settings.alerts.webhooks, settings.public_address)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        # Requests that wait in a lane occupy a thread; add as many, so that other requests do not wait for threads.
        to_thread.current_default_thread_limiter().total_tokens += parts.workers.places + asking.LANE.places
        app.state.health_threads = CapacityLimiter(2)
        with parts.database.write() as session:
            idempotent.forget_unfinished(session)
            parts.vault.rotate(session)
        supervisor.begin()
        delivery.begin()
        yield
        delivery.close()
        tests.close()
        supervisor.close()
        parts.database.close()
        if workers is None:
            parts.workers.close()

    app = Application(
        title="plan-service",
        version="1",
        summary="A registry of compiled plans with their history, and a supervisor of their runs",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # It would load scripts from another host.
        redoc_url=None,
        lifespan=life,
    )
    app.state.parts, app.state.runs, app.state.tests = parts, supervisor, tests
    app.state.figures = Figures(parts.database, supervisor)
    app.add_middleware(Door, parts=parts)
    problems.install(app)
    app.roles = roles_of(ROUTERS, PREFIX)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    # The default path of Prometheus.
    app.include_router(health.metrics_router, include_in_schema=False)
    add_page(app)
    return app
