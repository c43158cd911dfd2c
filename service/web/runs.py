"""Runs: start, stop, progress, history and logs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import takewhile
from math import inf
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, model_validator
from sqlalchemy.orm import Session

from compiled_plan.plans.execution.session.options import arguments
from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.service.common.texts import Argument
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.runs.endings import messages_since
from compiled_plan.service.runs.folders import COMMAND, RunFolder, begun_at, latest_run
from compiled_plan.service.runs.launching import ADOPT, REWIND
from compiled_plan.service.runs.processes import current
from compiled_plan.service.runs.settings import RunSettings, option, settings_of
from compiled_plan.service.runs.supervisor import Supervisor
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Status, Wanted
from compiled_plan.service.web.depends import IdempotencyKey, Name, Operator, PartsOf, Reading, Viewer
from compiled_plan.service.web.documents import NEVER_RAN, RequestBody, values_of
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.workers import tasks

router = APIRouter(prefix="/pipelines/{name}/run", tags=["runs"])
#: The polling interval of the progress file in seconds, and the number of polls without messages after which a comment
#: keeps the connection alive.
_LOOK, _ALIVE = 0.5, 30
#: The maximum number of points of a history.
_POINTS = 600
#: The time that a start or a stop waits for the process, in seconds; it continues in the background.
_SETTLE = 5.0


def runs_of(request: Request) -> Supervisor:
    """The supervisor of runs."""
    runs = request.app.state.runs
    assert isinstance(runs, Supervisor)
    return runs


RunsOf = Annotated[Supervisor, Depends(runs_of)]


class StartOf(RequestBody):
    """A start of a run."""

    version: int | None = Field(default=None, ge=1, le=2**31 - 1, description="by default the version in force")
    settings: RunSettings | None = Field(default=None, description="new run settings; unchanged by default")
    allow_clock_jump: bool = option("allow_clock_jump")
    adopt_generation: int | None = Field(
        default=None,
        ge=1,
        le=2**31 - 1,
        description="Generation of the checkpoint to activate before the start, if its head was lost.",
    )
    rewind_to: Annotated[Argument, Field(max_length=300)] | None = Field(
        default=None,
        description="Micro-batch, time or offset to which state, positions and output return before the start, as for "
        "`execute-plan --rewind-to`.",
    )

    @model_validator(mode="after")
    def _is_one(self) -> StartOf:
        if self.adopt_generation is not None and self.rewind_to is not None:
            raise ValueError("give either adopt_generation or rewind_to")
        return self

    @property
    def before(self) -> tuple[str, str] | None:
        """The action before the run, and its value."""
        if self.adopt_generation is not None:
            return ADOPT, str(self.adopt_generation)
        return None if self.rewind_to is None else (REWIND, self.rewind_to)


class RunDocument(BaseModel):
    """A pipeline's run."""

    state: RunState = Field(description="state of the pipeline, as in the list of pipelines")
    wanted: bool = Field(description="desired state: true if the pipeline should run")
    version: int = Field(description="number of the version that runs or ran last; 0 for none")
    since: datetime | None = Field(description="time of the last change of the state")
    until: datetime | None = Field(description="time of the next start: of a waiting pipeline, or by its schedule")
    begun_at: datetime | None = Field(description="start of the run; earlier micro-batches are those of earlier runs")
    number: int = Field(description="number of the run, counted from 1; 0 before the first")
    pid: int = Field(description="id of its process; 0 for none")
    crashes: int = Field(description="number of consecutive crashes")
    next_at: datetime | None = Field(description="time of the next restart or scheduled start")
    message: str
    remedy: str
    trigger: str = Field(
        description="time between micro-batches of the run: that of its settings, else the freshness of the plan's "
        "materialized tables; empty for none"
    )
    settings: RunSettings


class Logs(BaseModel):
    """A part of the output of a run."""

    lines: list[str]
    offset: int = Field(description="offset of the first byte")
    next_offset: int = Field(description="offset at which to continue")
    size: int = Field(description="offset after the whole output so far")


class History(BaseModel):
    """Micro-batches, as messages of `execute-plan --json`."""

    points: list[dict[str, object]]


def _document(runs: Supervisor, session: Session, name: str) -> RunDocument:
    pipeline = pipelines.find(session, name)
    status = session.get(Status, pipeline.id) or NEVER_RAN
    wanted = session.get(Wanted, pipeline.id) or Wanted(run=False, crashes=0)
    run = current(runs.folder(pipeline.id))
    return RunDocument(
        **values_of(status, RunDocument),
        wanted=wanted.run,
        begun_at=None if run is None else begun_at(run[0]),
        number=0 if run is None else run[0].number,
        pid=0 if run is None or run[1].is_over else run[1].pid,
        crashes=wanted.crashes,
        next_at=wanted.next_at,
        trigger="" if run is None else (run[0].read(COMMAND) or {}).get("trigger", ""),
        settings=settings_of(pipeline.run_settings).shown(),
    )


def _settled(
    parts: Parts, runs: Supervisor, name: str, keep: Keep, change: Callable[[Session, Pipeline], None]
) -> object:
    """Change the desired state of a run, and wait a while until it is reached."""
    with parts.database.write() as session:
        pipeline = pipelines.find(session, name, lock=True)
        change(session, pipeline)
        id_ = pipeline.id
        keep(session, _document(runs, session, name))
    runs.settle(id_, _SETTLE)
    with parts.database.read() as session:
        return _document(runs, session, name)


@router.get("", summary="Status of the run")
def run(who: Viewer, session: Reading, runs: RunsOf, name: Name) -> RunDocument:
    """Its state, its process, and the time of its next start after a crash or by its schedule."""
    return _document(runs, session, name)


@router.post("/start", summary="Start the run", response_model=RunDocument)
def start(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, body: StartOf, idempotency_key: IdempotencyKey = None
) -> Response:
    """The run is a separate process, which outlives the service. A running pipeline continues.

    `allow_clock_jump`, `adopt_generation` and `rewind_to` apply to this start and not to later restarts; 409 if it runs
    already.
    """

    def change(session: Session, pipeline: Pipeline) -> None:
        version = body.version or pipeline.in_force
        if version < 1 or version > pipeline.newest:
            raise ConflictError(
                f"the pipeline {name!r} has no version {version or 'in force'}",
                where=name,
                remedy="add a version, and put it in force",
            )
        if body.settings is not None:
            settings = body.settings.unmasked(settings_of(pipeline.run_settings))
            pipelines.change(session, pipeline, run_settings=settings.model_dump(exclude_defaults=True))
        once_only = list(arguments({"allow_clock_jump": body.allow_clock_jump}))
        runs.want_run(session, pipeline, version, who.name, once_only, body.before)

    begin = partial(_settled, parts, runs, name, change=change)
    return once(parts, who, f"POST start of {name}", idempotency_key, body, begin)


@router.post("/stop", summary="Stop the run", response_model=RunDocument)
def stop(who: Operator, parts: PartsOf, runs: RunsOf, name: Name, idempotency_key: IdempotencyKey = None) -> Response:
    """The run completes its current micro-batch within `stop_within`; committed data is safe."""

    end = partial(_settled, parts, runs, name, change=runs.want_stop)
    return once(parts, who, f"POST stop of {name}", idempotency_key, None, end)


@router.get("/progress", summary="Micro-batches as server-sent events", response_class=StreamingResponse)
async def progress(
    who: Viewer,
    parts: PartsOf,
    runs: RunsOf,
    request: Request,
    name: Name,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", max_length=40)] = None,
    seconds: Annotated[float | None, Query(ge=0, le=86_400, description="maximum duration of the stream")] = None,
) -> StreamingResponse:
    """Each event is a message of `execute-plan --json` with its number as id; `Last-Event-ID` resumes after it.

    The stream continues until the client disconnects, or for the duration `seconds`.
    """

    def pipeline_id() -> int:
        with parts.database.read() as session:
            return pipelines.find(session, name).id

    file = runs.progress(await asyncio.to_thread(pipeline_id))

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    until = inf if seconds is None else time.monotonic() + seconds
    stream = _events(request, file, number_of_event(last_event_id), until)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


def number_of_event(text: str | None) -> int | None:
    """The number in a `Last-Event-ID`; None if it is not a number."""
    return int(text) if text and text.isascii() and text.isdecimal() else None


async def _events(request: Request, file: Path, after: int | None, until: float) -> AsyncIterator[str]:
    """Micro-batches as events.

    Args:
        request: the request of the client.
        file: the progress file.
        after: the number of the last message that the client has received; None starts with the latest message.
        until: the end of the stream, on the monotonic clock in seconds.
    """
    if after is None:
        newest = await asyncio.to_thread(lambda: next(last_messages(file), None))
        after = 0 if newest is None else newest["seq"] - 1
    yield "retry: 2000\n\n"
    looks = 0
    while True:
        messages = await asyncio.to_thread(messages_since, file, after)
        for message in messages:
            after = message["seq"]
            if message["event"] == "batch":
                yield f"id: {after}\ndata: {json.dumps(message)}\n\n"
        looks = 0 if messages else looks + 1
        if looks >= _ALIVE:
            looks = 0
            yield ": keep-alive\n\n"
        left = until - time.monotonic()
        if left <= 0 or await request.is_disconnected():
            return
        await asyncio.sleep(min(_LOOK, left))


@router.get("/history", summary="Micro-batches of the last hours, for charts")
def history(
    who: Viewer,
    session: Reading,
    runs: RunsOf,
    name: Name,
    hours: Annotated[float, Query(gt=0, le=24 * 31)] = 1.0,
) -> History:
    """Thinned evenly if there are many; the last one is always included."""
    file = runs.progress(pipelines.find(session, name).id)
    since = (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    recent = takewhile(lambda message: message["at"] >= since, last_messages(file))
    batches = [message for message in recent if message["event"] == "batch"]
    return History(points=thinned(batches, _POINTS)[::-1])


def thinned(points: Sequence[dict[str, object]], most: int) -> list[dict[str, object]]:
    """At most `most` of the points, evenly spaced, starting with the first."""
    step = -(-len(points) // most) or 1
    return list(points[::step])


@router.get("/logs", summary="Output of a run")
def logs(
    who: Viewer,
    parts: PartsOf,
    runs: RunsOf,
    name: Name,
    tail: Annotated[int, Query(ge=0, le=100_000)] = 200,
    offset: Annotated[int | None, Query(ge=0, le=2**53, description="first byte, instead of `tail`")] = None,
    run: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="number of the run; by default the last")] = None,
) -> Logs:
    """Secrets are masked. The oldest output of a long run is removed; reading starts with the first retained byte."""
    with parts.database.read() as session:
        folder = runs.folder(pipelines.find(session, name).id)
    of = latest_run(folder) if run is None else RunFolder(folder / str(run))
    if of is None:
        return Logs(lines=[], offset=0, next_offset=0, size=0)
    lines = None if offset is not None else tail
    return Logs.model_validate(parts.workers.run(tasks.runs.shown_output, run=str(of.path), offset=offset, tail=lines))
