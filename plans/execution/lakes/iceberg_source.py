"""Reads of tables of Iceberg: appended rows, or one snapshot."""

from __future__ import annotations

from datetime import UTC, datetime

from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.execution.interfaces.connectors import SourceContext, insert_head
from compiled_plan.plans.execution.lakes.source import Scan

_START, _FILES = "start-snapshot-timestamp", "streaming-max-files-per-micro-batch"
_OF_STREAMS = (
    "streaming-skip-overwrite-snapshots",
    "streaming-skip-delete-snapshots",
    "streaming-max-rows-per-micro-batch",
    _FILES,
)


def scan(options: Values, context: SourceContext) -> Scan:
    """The read of a table."""
    streams, explicit = options.flag("streaming"), options.explicit
    values = {name: explicit[name] for name in _OF_STREAMS if streams and name in explicit}
    if streams and _START in explicit and context.sample is None:
        values["stream-from-timestamp"] = explicit[_START]
    if streams and context.max_files is not None:
        values.setdefault(_FILES, str(context.max_files))
    if "snapshot-id" in explicit:
        values["versionAsOf"] = explicit["snapshot-id"]
    if "as-of-timestamp" in explicit:
        values["timestampAsOf"] = _time(int(explicit["as-of-timestamp"]))
    return Scan(values, streams, insert_head())


def _time(milliseconds: int) -> str:
    """A time in the session's zone, UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{rest:03}"
