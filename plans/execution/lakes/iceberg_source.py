"""Reads of tables of Iceberg: appended rows, or one snapshot."""

from __future__ import annotations

from datetime import UTC, datetime

from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.execution.interfaces.connectors import SourceContext, TableSpec, insert_head
from compiled_plan.plans.execution.lakes.iceberg import IcebergTable
from compiled_plan.plans.execution.lakes.source import Scan

_START, _FILES = "start-snapshot-timestamp", "streaming-max-files-per-micro-batch"
_OF_STREAMS = (
    "streaming-skip-overwrite-snapshots",
    "streaming-skip-delete-snapshots",
    "streaming-max-rows-per-micro-batch",
    _FILES,
)


def scan(table: TableSpec, target: IcebergTable, options: Values, context: SourceContext) -> Scan:
    """The read of a table that exists.

    Raises:
        DataError: rows that were read before are to be read again, and their snapshots have expired.
    """
    if context.again and not target.has_first_snapshot():
        raise DataError(
            f"the first snapshots of {target.title} have expired: a stream would begin behind their rows",
            where=f"table {table.identifier}",
            remedy="leave --warm-up out, or name a table of files with the rows: --warm-up-from",
        )
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
