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
