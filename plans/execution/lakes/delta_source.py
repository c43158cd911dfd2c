"""Sources from tables of Delta Lake: arriving rows, one version, or the change data feed.

Spark's checkpoint has the position of a stream. The first micro-batches read the table, unless an option names a start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans.connectors.lake_tables import BATCH
from compiled_plan.plans.connectors.specs.delta import FEED
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    INSERT,
    KIND,
    ORD,
    PATH,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    RowSource,
    SourceContext,
    TableSpec,
    insert_head,
)
from compiled_plan.plans.execution.lakes.delta import DeltaTable
from compiled_plan.plans.execution.lakes.table import failed, missing
from compiled_plan.plans.execution.providers.columns import check_columns, plan_columns
from compiled_plan.plans.execution.providers.whole import whole
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Options that go to Delta's reader, by use.
_STARTS = ("startingVersion", "startingTimestamp")
_OF_STREAMS = ("skipChangeCommits", "ignoreDeletes", "maxFilesPerTrigger", "maxBytesPerTrigger", "failOnDataLoss")
_OF_BATCHES = ("endingVersion", "endingTimestamp", "versionAsOf", "timestampAsOf")
_ENABLED = "delta.enableChangeDataFeed"
#: Columns of the change data feed, and the kinds of its rows.
_CHANGE, _VERSION = "_change_type", "_commit_version"
_KINDS = {"insert": INSERT, "update_preimage": UPDATE_BEFORE, "update_postimage": UPDATE_AFTER, "delete": DELETE}


def read(table: TableSpec, target: DeltaTable, options: Values, context: SourceContext) -> RowSource:
    """The rows or changes of a table; columns that the plan does not use are null.

    Raises:
        DataError: the table does not exist, its columns differ, or it has no change data feed.
        ExecutionError: Delta refuses; gives its reason.
    """
    try:
        return _opened(table, target, options, context)
    except (PySparkException, Py4JJavaError) as fault:
        raise failed(table, target.title, "read", fault) from fault


def _opened(table: TableSpec, target: DeltaTable, options: Values, context: SourceContext) -> RowSource:
    columns = target.columns()
    if columns is None:
        raise missing(table, target.title)
    check_columns(table, columns, target.title)
    feed = options.flag(FEED)
    if feed and target.property(_ENABLED).lower() != "true":
        raise DataError(
            f"{target.title} has no change data feed",
            where=f"table {table.identifier}",
            remedy=f"ALTER TABLE {target.name} SET TBLPROPERTIES ({_ENABLED} = true), in Spark: changes are recorded "
            "from then on",
        )
    head = _changed(table) if feed else insert_head()
    batch = options.text("scan.mode") == BATCH
    reader: Any = context.spark.read if batch else context.spark.readStream
    for name, value in _settings(options, context, batch=batch, feed=feed).items():
        reader = reader.option(name, value)
    frame = reader.format("delta").load(target.path) if target.path is not None else reader.table(target.name)
    if not batch:
        return RowSource(_rows(frame, table, head), bounded=False)
    names = [*table.used, *((_CHANGE, _VERSION) if feed else ())]
    stream, held = whole(frame.select(*(F.col(quote_identifier(name)) for name in names)))
    return RowSource(_rows(stream, table, head), bounded=True, keeps=held)


def _settings(options: Values, context: SourceContext, *, batch: bool, feed: bool) -> dict[str, str]:
    """The options of Delta's reader."""
    names = [*(_OF_BATCHES if batch else _OF_STREAMS), *(_STARTS if context.sample is None or batch else ())]
    values = {name: options.explicit[name] for name in names if name in options.explicit}
    if feed:
        values[FEED] = "true"
    if context.max_files is not None and not batch:
        values.setdefault("maxFilesPerTrigger", str(context.max_files))
    return values


def _rows(frame: DataFrame, table: TableSpec, head: tuple[Column, Column, Column]) -> DataFrame:
    columns = enumerate(plan_columns(table))
    return frame.select(*head, *(column.alias(f"f{at}") for at, column in columns))


def _changed(table: TableSpec) -> tuple[Column, Column, Column]:
    """`kind`, `ord` and `path` of changes: by commit; in a commit by key, the old row of a key before the new one."""
    change = F.col(_CHANGE)
    kind = F.coalesce(*(F.when(change == name, F.lit(kind)) for name, kind in _KINDS.items()))
    is_old = change.isin("update_preimage", "delete")
    keys = [F.col(quote_identifier(name)) for name in table.primary_key if name in table.used]
    parts = [
        *([_eight_bytes(F.xxhash64(*keys))] if keys else []),
        F.when(is_old, F.lit(bytearray(b"\0"))).otherwise(F.lit(bytearray(b"\1"))),
        _eight_bytes(F.call_function("order_number")),
    ]
    return kind.cast("tinyint").alias(KIND), F.col(_VERSION).alias(ORD), F.concat(*parts).alias(PATH)


def _eight_bytes(number: Column) -> Column:
    return F.unhex(F.lpad(F.hex(number), 16, "0"))
