"""The status of a pipeline, its row in `statuses`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy.orm import Session

from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.telemetry.listeners import lag_of
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.service.runs.endings import Ending
from compiled_plan.service.runs.recent import Recent
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Status, Wanted

#: The interval at which an unchanged status is written again.
_SEEN = timedelta(seconds=30)
#: The columns of a status without a reason and without figures.
_NOTHING = {
    "rows_per_second": None,
    "lag": None,
    "state_growth": None,
    "message": "",
    "remedy": "",
    "until": None,
}


def set_status(session: Session, pipeline: Pipeline, state: RunState, version: int, **values: object) -> None:
    """Write the status; `since` changes only with the state and the version."""
    now = datetime.now(UTC)
    status = session.get(Status, pipeline.id)
    content = {**_NOTHING, **values}
    if status is not None and now - status.seen_at < _SEEN and _content(status, content) == (state, version, content):
        return
    if status is None:
        status = Status(pipeline_id=pipeline.id, state="", version=0, seen_at=now)
        session.add(status)
    if (status.state, status.version) != (state, version):
        status.since = now
    status.state, status.version, status.seen_at = state.value, version, now
    for name, value in content.items():
        setattr(status, name, value)


def _content(status: Status, names: Iterable[str]) -> tuple[object, ...]:
    return status.state, status.version, {name: getattr(status, name) for name in names}


def set_starting(session: Session, pipeline: Pipeline, version: int) -> None:
    """Set the status of a starting run."""
    set_status(session, pipeline, RunState.STARTING, version, message="Spark starts")


def set_migrating(session: Session, pipeline: Pipeline, version: int, message: str) -> None:
    """Set the status of a run that changes the checkpoint."""
    set_status(session, pipeline, RunState.MIGRATING, version, message=message)


def set_stopping(session: Session, pipeline: Pipeline, version: int, reason: str) -> None:
    """Set the status of a stopping run."""
    message = f"{reason}; the process is killed if it does not end by itself"
    set_status(session, pipeline, RunState.STOPPING, version, message=message)


def set_ended(
    session: Session, pipeline: Pipeline, version: int, state: RunState, until: datetime | None = None
) -> None:
    """Set the status of a run that ended without an error; `until` is its next scheduled start."""
    set_status(session, pipeline, state, version, until=until)


def note_error(session: Session, pipeline: Pipeline, message: str) -> None:
    """Record the last error of a pipeline."""
    session.flush()
    status = session.get(Status, pipeline.id)
    if status is not None:
        status.last_error, status.last_error_at = message, datetime.now(UTC)


def set_failed(
    session: Session,
    pipeline: Pipeline,
    version: int,
    ending: Ending,
    next_: str = "",
    until: datetime | None = None,
) -> None:
    """Set the status of a failed run, which waits for a user, or until its next start."""
    where = f" (at {ending.where})" if ending.where else ""
    message = masked_text(f"{ending.message}{where}{f'; {next_}' if next_ else ''}")
    state = RunState.FAILED if until is None else RunState.WAITING
    set_status(session, pipeline, state, version, message=message, remedy=masked_text(ending.remedy), until=until)
    note_error(session, pipeline, masked_text(f"{ending.message}{where}"))


def set_running(
    session: Session, pipeline: Pipeline, wanted: Wanted, command: Mapping[str, Any], recent: Recent
) -> None:
    """Set the status of a running run.

    Args:
        session: the database session.
        pipeline: the pipeline.
        wanted: its desired state.
        command: the command of the run.
        recent: its recent micro-batches.
    """
    if recent.number <= command.get("seq", 0):
        set_starting(session, pipeline, wanted.version)
        return
    figures = recent.figures
    behind = is_behind(recent.batches, command.get("trigger", ""))
    upgrade = pipeline.in_force not in (0, wanted.version)
    set_status(
        session,
        pipeline,
        RunState.UPGRADE_WAITING if upgrade else RunState.BEHIND if behind else RunState.RUNNING,
        wanted.version,
        rows_per_second=figures and figures.in_per_second,
        lag=figures and figures.lag,
        state_growth=figures and figures.bytes_per_hour,
        message=f"version {pipeline.in_force} is in force, but version {wanted.version} runs" if upgrade else behind,
        remedy="upgrade the run, or put the running version in force again" if upgrade else "",
        **({} if figures is None else {"state_bytes": figures.state_bytes}),
    )


def is_behind(batches: Sequence[Mapping[str, Any]], trigger: str) -> str:
    """The reason why a run falls behind; empty if it keeps up, or if that is unknown.

    It falls behind if its lag grew in each of the last micro-batches, or if each took longer than the trigger.
    """
    recent = batches[-5:]
    if len(recent) < 5:
        return ""
    lags = [lag_of(batch) for batch in recent]
    grown = all(b is not None and a is not None and b > a for a, b in pairwise(lags))
    if grown:
        return f"its lag grows: {lags[0]} to {lags[-1]} records in 5 micro-batches"
    trigger_ms = RunOptions(trigger=trigger).trigger_ms
    if trigger_ms and all(batch["batchMillis"] > trigger_ms for batch in recent):
        return f"its micro-batches take longer than the trigger of {trigger}"
    return ""
