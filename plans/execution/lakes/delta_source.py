"""Reads of tables of Delta Lake: arriving rows, one version, or the change data feed.

The first micro-batches of a stream read the table, unless an option names a start.
"""

from __future__ import annotations

from compiled_plan.plans.connectors.lake_tables import BATCH
from compiled_plan.plans.connectors.specs.delta import FEED
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
from compiled_plan.plans.execution.lakes.delta import DeltaTable
from compiled_plan.plans.execution.lakes.source import Scan

#: Options that go to Delta's reader, by use.
_STARTS = ("startingVersion", "startingTimestamp")
_OF_STREAMS = ("skipChangeCommits", "ignoreDeletes", "maxFilesPerTrigger", "maxBytesPerTrigger", "failOnDataLoss")
_OF_BATCHES = ("endingVersion", "endingTimestamp", "versionAsOf", "timestampAsOf")
_ENABLED = "delta.enableChangeDataFeed"
#: Columns of the change data feed, and the kinds of its rows.
_CHANGE, _VERSION = "_change_type", "_commit_version"
_KINDS = {"insert": INSERT, "update_preimage": UPDATE_BEFORE, "update_postimage": UPDATE_AFTER, "delete": DELETE}


def scan(table: TableSpec, target: DeltaTable, options: Values, context: SourceContext) -> Scan:
    """The read of a table that exists.

    Raises:
        DataError: the table has no change data feed.
    """
    feed, batch = options.flag(FEED), options.text("scan.mode") == BATCH
    if feed and target.property(_ENABLED).lower() != "true":
        raise DataError(
            f"{target.title} has no change data feed",
            where=f"table {table.identifier}",
            remedy=f"ALTER TABLE {target.name} SET TBLPROPERTIES ({_ENABLED} = true), in Spark: changes are recorded "
            "from then on",
        )
    settings = _settings(options, context, batch=batch, feed=feed)
    if feed:
        return Scan(settings, not batch, head(table, _CHANGE, _KINDS, _VERSION), (_CHANGE, _VERSION))
    return Scan(settings, not batch, insert_head())


def _settings(options: Values, context: SourceContext, *, batch: bool, feed: bool) -> dict[str, str]:
    """The options of Delta's reader."""
    names = [*(_OF_BATCHES if batch else _OF_STREAMS), *(_STARTS if context.sample is None or batch else ())]
    values = {name: options.explicit[name] for name in names if name in options.explicit}
    if feed:
        values[FEED] = "true"
    if context.max_files is not None and not batch:
        values.setdefault("maxFilesPerTrigger", str(context.max_files))
    return values
