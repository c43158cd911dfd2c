"""Reads of tables of Iceberg: appended rows, all changes, or one snapshot."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pyspark.sql.types import StructType

from compiled_plan.plans.connectors.specs.iceberg import CHANGELOG
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    SourceContext,
    TableSpec,
    insert_head,
)
from compiled_plan.plans.execution.lakes.changes import head
from compiled_plan.plans.execution.lakes.iceberg import IcebergTable
from compiled_plan.plans.execution.lakes.source import Scan
from compiled_plan.plans.execution.spark.types import schema_of

_START, _FILES = "start-snapshot-timestamp", "streaming-max-files-per-micro-batch"
_ROWS = "streaming-max-rows-per-micro-batch"
_OF_STREAMS = (
    "streaming-skip-overwrite-snapshots",
    "streaming-skip-delete-snapshots",
    _ROWS,
    _FILES,
)
#: The kernel's source of changes: its class, columns and kinds.
_CHANGES = "org.compiledplan.kernel.host.iceberg.TableChanges"
_CHANGE, _ORDINAL = "_change_type", "_change_ordinal"
_KINDS = {"INSERT": INSERT, "UPDATE_BEFORE": UPDATE_BEFORE, "UPDATE_AFTER": UPDATE_AFTER, "DELETE": DELETE}
_ANEW = (
    "start with a new checkpoint, which reads the rows of the table first; keep snapshots for longer than a run may be "
    "behind (`older_than` and `retain_last` of expire_snapshots)"
)
_AGAIN = "leave --warm-up out, or name a table of files with the rows: --warm-up-from"


def scan(table: TableSpec, target: IcebergTable, options: Values, context: SourceContext) -> Scan:
    """The read of a table that exists.

    Raises:
        DataError: rows that were read before are to be read again, and their snapshots have expired.
    """
    if options.flag(CHANGELOG):
        return Scan(
            {"changes": json.dumps(_changes(table, target, options, context))},
            True,
            head(table, _CHANGE, _KINDS, _ORDINAL),
            provider=_CHANGES,
        )
    if context.again and not target.has_first_snapshot():
        raise DataError(
            f"the first snapshots of {target.title} have expired: a stream would begin behind their rows",
            where=f"table {table.identifier}",
            remedy=_AGAIN,
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


def _changes(table: TableSpec, target: IcebergTable, options: Values, context: SourceContext) -> dict[str, object]:
    """The option of the kernel's source."""
    explicit = options.explicit
    return {
        "name": target.name,
        "title": target.title,
        "where": f"table {table.identifier}",
        "schema": StructType([field for field in schema_of(table.columns) if field.name in table.used]).jsonValue(),
        "key": table.primary_key if set(table.primary_key) <= set(table.used) else (),
        "start": int(explicit[_START]) if _START in explicit and context.sample is None else None,
        "files": int(explicit[_FILES]) if _FILES in explicit else context.max_files,
        "rows": int(explicit[_ROWS]) if _ROWS in explicit else None,
        "remedy": _AGAIN if context.again else _ANEW,
    }


def _time(milliseconds: int) -> str:
    """A time in the session's zone, UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{rest:03}"
