"""A pipeline's state at a glance, as its row in `statuses` has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from typing import Any

from sqlalchemy.orm import Session

from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.service.runs.endings import Ending
from compiled_plan.service.runs.folders import COMMAND, RunFolder
from compiled_plan.service.runs.processes import ProcessState, asked_at
from compiled_plan.service.runs.settings import RunSettings
from compiled_plan.service.store.tables import Pipeline, Status, Wanted

#: Micro-batches that figures are made of.
_BATCHES = 10
#: After so many seconds without a micro-batch a run may be idle.
_IDLE = 10.0
#: What has not changed is written down again after this time.
_SEEN = timedelta(seconds=30)


def set_status(session: Session, pipeline: Pipeline, state: str, version: int, **values: Any) -> None:
    """Write it; since when it is so changes with the state and the version alone."""
    now = datetime.now(UTC)
    status = session.get(Status, pipeline.id)
    if status is not None and now - status.seen_at < _SEEN and _said(status) == (state, version, *_values(values)):
        return
    if status is None:
        status = Status(pipeline_id=pipeline.id, state="", version=0, seen_at=now)
        session.add(status)
    if (status.state, status.version) != (state, version):
        status.since = now
    status.state, status.version, status.seen_at = state, version, now
    status.rows_per_second, status.lag, status.message, status.remedy = _values(values)


def _values(values: Mapping[str, Any]) -> tuple[Any, ...]:
    return values.get("rows_per_second"), values.get("lag"), values.get("message", ""), values.get("remedy", "")


def _said(status: Status) -> tuple[Any, ...]:
    return status.state, status.version, status.rows_per_second, status.lag, status.message, status.remedy


def set_starting(session: Session, pipeline: Pipeline, version: int) -> None:
    """It is being started."""
    set_status(session, pipeline, "running", version, message="it is being started")


def set_stopping(session: Session, pipeline: Pipeline, version: int, run: RunFolder) -> None:
    """It was asked to stop, and has not ended yet."""
    requested_at = asked_at(run)
    shown = "" if requested_at is None else datetime.fromtimestamp(requested_at, UTC).isoformat(timespec="seconds")
    message = f"it is being stopped{f', since {shown}' if shown else ''}; its process ends by itself, or is ended by it"
    set_status(session, pipeline, "running", version, message=message)


def set_ended(session: Session, pipeline: Pipeline, version: int, state: str) -> None:
    """It has ended well."""
    set_status(session, pipeline, state, version)


def set_failed(session: Session, pipeline: Pipeline, version: int, ending: Ending, next_: str = "") -> None:
    """It has failed."""
    where = f" (at {ending.where})" if ending.where else ""
    message = masked_text(f"{ending.message}{where}{f'; {next_}' if next_ else ''}")
    set_status(session, pipeline, "failed", version, message=message, remedy=masked_text(ending.remedy))


def set_running(
    session: Session,
    pipeline: Pipeline,
    wanted: Wanted,
    run: RunFolder,
    state: ProcessState,
    settings: RunSettings,
) -> None:
    """It runs."""
    command = run.read(COMMAND) or {}
    since = command.get("seq", 0)
    recent = takewhile(lambda message: message["seq"] > since, last_messages(run.progress))
    batches = list(islice((message for message in recent if message["event"] == "batch"), _BATCHES))[::-1]
    lag = lag_of(batches[-1]) if batches else None
    behind = is_behind(batches, settings)
    upgrade = pipeline.in_force not in (0, wanted.version)
    set_status(
        session,
        pipeline,
        "upgrade-waiting" if upgrade else "behind" if behind else "running",
        wanted.version,
        rows_per_second=rows_per_second(batches, datetime.now(UTC).timestamp()),
        lag=lag,
        message=f"version {pipeline.in_force} is in force, and {wanted.version} runs" if upgrade else behind,
        remedy="upgrade the run, or put the version that runs in force again" if upgrade else "",
    )


def rows_per_second(batches: Sequence[Mapping[str, Any]], now: float) -> float | None:
    """Rows that were read in a second, over some micro-batches; None of less than two.

    Without rows there are no micro-batches: 0 where the last one is longer ago than three of them take.

    Args:
        now: seconds since 1970.
    """
    if len(batches) < 2:
        return None
    first, last = (datetime.fromisoformat(batch["at"]).timestamp() for batch in (batches[0], batches[-1]))
    if now - last > max(_IDLE, 3 * (last - first) / (len(batches) - 1)):
        return 0.0
    return None if last <= first else sum(batch["rowsIn"] for batch in batches[1:]) / (last - first)


def lag_of(batch: Mapping[str, Any]) -> int | None:
    """What all sources have that was not read; None where none of them can tell."""
    known = [source["lag"] for source in batch["sources"] if source["lag"] is not None]
    return sum(known) if known else None


def is_behind(batches: Sequence[Mapping[str, Any]], settings: RunSettings) -> str:
    """Why a run does not keep up; empty where it does, or where nobody knows.

    It does not where its lag has grown in each of the last micro-batches, or where each took longer than its trigger.
    """
    recent = batches[-5:]
    if len(recent) < 5:
        return ""
    lags = [lag_of(batch) for batch in recent]
    grown = all(b is not None and a is not None and b > a for a, b in pairwise(lags))
    if grown:
        return f"its lag grows: {lags[0]} to {lags[-1]} records in 5 micro-batches"
    trigger = RunOptions(trigger=settings.trigger).trigger_ms
    if trigger and all(batch["batchMillis"] > trigger for batch in recent):
        return f"its micro-batches take longer than the trigger of {settings.trigger}"
    return ""
