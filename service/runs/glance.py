"""The status of a pipeline, its row in `statuses`."""

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
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Status, Wanted

#: The number of micro-batches for metrics.
_BATCHES = 10
#: The minimum time without a micro-batch, in seconds, after which a run is idle.
_IDLE = 10.0
#: The interval at which an unchanged status is written again.
_SEEN = timedelta(seconds=30)
#: The messages of a run that processes rows.
_ALIVE = ("start", "batch")
#: The columns of a status without a reason and without figures.
_NOTHING = {"rows_per_second": None, "lag": None, "message": "", "remedy": "", "until": None}
#: The interval between samples of the state's size, of the first one, and the age from which one is of an earlier run.
_SAMPLE, _FIRST, _STALE = timedelta(minutes=10), timedelta(minutes=1), timedelta(minutes=30)


def set_status(session: Session, pipeline: Pipeline, state: RunState, version: int, **values: Any) -> None:
    """Write the status; `since` changes only with the state and the version."""
    now = datetime.now(UTC)
    status = session.get(Status, pipeline.id)
    content = {**_NOTHING, **values}
    if status is not None and now - status.seen_at < _SEEN and _content(status) == (state, version, content):
        return
    if status is None:
        status = Status(pipeline_id=pipeline.id, state="", version=0, seen_at=now)
        session.add(status)
    if (status.state, status.version) != (state, version):
        status.since = now
    status.state, status.version, status.seen_at = state.value, version, now
    for name, value in content.items():
        setattr(status, name, value)


def _content(status: Status) -> tuple[Any, ...]:
    return status.state, status.version, {name: getattr(status, name) for name in _NOTHING}


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


def note_state(session: Session, pipeline: Pipeline, batch: Mapping[str, Any]) -> None:
    """Record the size of a pipeline's state, and its growth since a sample of at least a minute ago.

    Args:
        session: the database session.
        pipeline: the pipeline, with a status.
        batch: the progress message of its last micro-batch.
    """
    session.flush()
    status, now = session.get(Status, pipeline.id), datetime.now(UTC)
    known = [operator["stateBytes"] for operator in batch["operators"] if operator["stateBytes"] is not None]
    if status is None or not known:
        return
    status.state_bytes = sum(known)
    elapsed = None if status.sampled_at is None else now - status.sampled_at
    if elapsed is None or status.sampled_bytes is None or elapsed > _STALE:
        status.sampled_bytes, status.sampled_at, status.state_growth = status.state_bytes, now, None
    elif elapsed >= (_FIRST if status.state_growth is None else _SAMPLE):
        status.state_growth = (status.state_bytes - status.sampled_bytes) / (elapsed / timedelta(hours=1))
        if elapsed >= _SAMPLE:
            status.sampled_bytes, status.sampled_at = status.state_bytes, now


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


def set_running(session: Session, pipeline: Pipeline, wanted: Wanted, run: RunFolder) -> None:
    """Set the status of a running run, from the messages since its start."""
    command = run.read(COMMAND) or {}
    since = command.get("seq", 0)
    recent = takewhile(lambda message: message["seq"] > since, last_messages(run.progress))
    messages = list(islice((message for message in recent if message["event"] in _ALIVE), _BATCHES))[::-1]
    if not messages:
        set_starting(session, pipeline, wanted.version)
        return
    batches = [message for message in messages if message["event"] == "batch"]
    lag = lag_of(batches[-1]) if batches else None
    behind = is_behind(batches, command.get("trigger", ""))
    upgrade = pipeline.in_force not in (0, wanted.version)
    set_status(
        session,
        pipeline,
        RunState.UPGRADE_WAITING if upgrade else RunState.BEHIND if behind else RunState.RUNNING,
        wanted.version,
        rows_per_second=rows_per_second(batches, datetime.now(UTC).timestamp()),
        lag=lag,
        message=f"version {pipeline.in_force} is in force, but version {wanted.version} runs" if upgrade else behind,
        remedy="upgrade the run, or put the running version in force again" if upgrade else "",
    )
    if batches:
        note_state(session, pipeline, batches[-1])


def rows_per_second(batches: Sequence[Mapping[str, Any]], now: float) -> float | None:
    """Rows read per second, over some micro-batches; None for fewer than two.

    An idle run has no micro-batches: 0 if the last one is older than three average intervals.

    Args:
        batches: progress messages of micro-batches, in order.
        now: epoch seconds.
    """
    if len(batches) < 2:
        return None
    first, last = (datetime.fromisoformat(batch["at"]).timestamp() for batch in (batches[0], batches[-1]))
    if now - last > max(_IDLE, 3 * (last - first) / (len(batches) - 1)):
        return 0.0
    return None if last <= first else sum(batch["rowsIn"] for batch in batches[1:]) / (last - first)


def lag_of(batch: Mapping[str, Any]) -> int | None:
    """The number of unread rows of all sources; None if no source reports it."""
    known = [source["lag"] for source in batch["sources"] if source["lag"] is not None]
    return sum(known) if known else None


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
