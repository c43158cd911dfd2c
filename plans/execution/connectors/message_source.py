"""Messages of Kafka as rows.

Source: Flink's pages "Kafka" and "Upsert Kafka"; Spark's page "Structured Streaming + Kafka Integration Guide".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.dead_letters import puts_aside
from compiled_plan.plans.connectors.messages import Parts, listed
from compiled_plan.plans.execution.connectors.brokers import Offsets
from compiled_plan.plans.execution.connectors.messages import KEY, VALUE, Messages
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import with_faults
from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    KIND,
    ORD,
    PARTITION,
    PATH,
    RowSource,
    SourceContext,
)
from compiled_plan.plans.execution.interfaces.dead_letters import COLUMN, dead_letter
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_CHANGES = "changes"
#: Columns of a message's position.
_PLACE = ("topic", "partition", "offset")
_TIMES = {-1: "NoTimestampType", 0: "CreateTime", 1: "LogAppendTime"}


def read(messages: Messages, context: SourceContext, *, upserts: bool) -> RowSource:
    """The rows of a table's messages.

    Args:
        context: see `SourceContext`.
        upserts: True if a message without a value deletes the row of its key.

    Raises:
        UnsupportedError: metadata that Spark's connector does not provide.
        DataError: a topic, partition or offset does not exist.
        ExecutionError: the brokers do not answer.
    """
    options = messages.table.options
    topics = messages.topics
    if "topic" in options:
        topics.check()
    begin = "earliest" if upserts or context.sample is not None else topics.start()
    end = topics.end()
    choice = (
        ("subscribe", ",".join(listed(options["topic"])))
        if "topic" in options
        else (
            "subscribePattern",
            options["topic-pattern"],
        )
    )
    reader = (
        context.spark.readStream.format("kafka")
        .options(**{f"kafka.{name}": value for name, value in messages.settings.items()})
        .option(*choice)
        .option("startingOffsets", begin if isinstance(begin, str) else _offsets_text(begin))
        .option("includeHeaders", any(key == "headers" for key, _ in messages.table.metadata))
    )
    if context.sample is not None:
        reader = reader.option("maxOffsetsPerTrigger", context.sample)
    raw = reader.load()
    cut = None if end is None else raw.where(_before(end))
    up_to_latest = messages.spec.values(options).text("scan.bounded.mode") == "latest-offset"
    rows = _rows(raw if cut is None or up_to_latest else cut, messages, upserts)
    bounded = _rows(cut, messages, upserts) if cut is not None and up_to_latest else None
    return RowSource(
        rows, end is not None, cut=bounded, partitions=1 if context.clock is None else max(1, topics.all_partitions())
    )


def _offsets_text(offsets: Offsets) -> str:
    return json.dumps(
        {
            topic: {str(partition): at for partition, at in by_partition.items()}
            for topic, by_partition in offsets.items()
        }
    )


def _before(end: Offsets) -> Column:
    """True for a message before the end of its partition; partitions without an end were created later."""
    ends = [
        (F.col("topic") == topic)
        & F.coalesce(F.col("offset") < _by_number(by_partition)[F.col("partition")], F.lit(False))
        for topic, by_partition in end.items()
    ]
    return reduce(lambda left, right: left | right, ends, F.lit(False))


def _by_number(by_partition: Mapping[int, int]) -> Column:
    return F.create_map(*(F.lit(value) for item in by_partition.items() for value in item))


def _rows(raw: DataFrame, messages: Messages, upserts: bool) -> DataFrame:
    """The columns of `RowSource` from those of Spark's connector."""
    table, spark = messages.table, messages.spark
    value = messages.format_of(VALUE)
    key = messages.format_of(KEY)
    assert value is not None
    metadata = [_metadata(name).alias(f"e{at}") for at, (name, _) in enumerate(table.metadata)]
    order = F.call_function("order_number").alias(ORD)
    # Named as in the positions of Spark's source.
    partition = F.concat_ws("/", F.col("topic"), F.col("partition")).alias(PARTITION)
    if puts_aside(table.options):
        decoded = _with_dead_letters(raw, messages, (order, partition, *metadata), upserts)
    else:
        place = [F.col(name) for name in _PLACE]
        changes = value[0].message_changes(spark, value[1], F.col("value").cast("string"), place)
        key_text = F.col("key").cast("string")
        keyed = F.lit(None) if key is None else _first(key[0].message_changes(spark, key[1], key_text, place))
        changes = _with_deletions(changes, value[1], upserts)
        decoded = raw.select(changes.alias(_CHANGES), keyed.alias("k"), order, partition, *metadata)
    exploded = decoded.select(F.inline(_CHANGES), *(F.col(name) for name in decoded.columns[1:]))
    width = len(value[1].row.fields)
    names = (KIND, PATH, *(f"c{at}" for at in range(width)), *(f"x{at}" for at in range(len(value[1].metadata))))
    rows = exploded.toDF(*names, *decoded.columns[1:])
    deleted = F.col(KIND) == DELETE
    columns = [
        _column(name, messages.parts, upserts, deleted).alias(f"f{at}") for at, name in enumerate(table.columns.names)
    ]
    inside = [f"value.{name}" for name in value[1].metadata]
    extra = [
        (F.col(f"x{inside.index(name)}") if name in inside else F.col(f"e{at}")).alias(f"m{at}")
        for at, (name, _) in enumerate(table.metadata)
    ]
    dead = [F.col(COLUMN)] if COLUMN in decoded.columns else []
    return rows.select(KIND, ORD, PATH, PARTITION, *columns, *extra, *dead)


def _with_dead_letters(raw: DataFrame, messages: Messages, extra: tuple[Column, ...], upserts: bool) -> DataFrame:
    """Changes, key and extra columns; an unreadable message becomes one change of the kind `DEAD`."""
    spark, value, key = messages.spark, messages.format_of(VALUE), messages.format_of(KEY)
    assert value is not None
    outcome = value[0].message_outcome(spark, value[1], F.col("value").cast("string")).alias("outcome")
    keyed = F.lit(None) if key is None else key[0].message_outcome(spark, key[1], F.col("key").cast("string"))
    place = [F.col(name).alias(f"at_{name}") for name in _PLACE]
    read = raw.select(outcome, keyed.alias("keyed"), F.col("value").alias("raw_value"), *place, *extra)
    table = messages.table.identifier
    where = {name: F.col(f"at_{name}") for name in _PLACE}
    faults = [("value", F.col("outcome.fault")), *([] if key is None else [("key", F.col("keyed.fault"))])]
    dead = F.coalesce(*(dead_letter(table, fault, part=F.lit(part), **where) for part, fault in faults))
    changes = with_faults(read, dead)
    if upserts:
        deleted = F.col("raw_value").isNull() & dead.isNull()
        changes = F.when(deleted, _deletion(value[1])).otherwise(changes)
    first = F.lit(None) if key is None else _first(F.col("keyed.changes"))
    rest = [F.col(name) for name in read.columns[3 + len(_PLACE) :]]
    return read.select(changes.alias(_CHANGES), first.alias("k"), *rest, dead.alias(COLUMN))


def _with_deletions(changes: Column, value: FormatTable, upserts: bool) -> Column:
    return F.when(F.col("value").isNull(), _deletion(value)).otherwise(changes) if upserts else changes


def _first(changes: Column) -> Column:
    return F.get(changes, F.lit(0))


def _column(name: str, parts: Parts, upserts: bool, deleted: Column) -> Column:
    """A column, from the value if it is in both parts; a deletion has only a key."""
    key = F.col("k")[f"c{parts.key.index(name)}"] if name in parts.key else None
    if name not in parts.value:
        assert key is not None
        return key
    value = F.col(f"c{parts.value.index(name)}")
    return F.when(deleted, key).otherwise(value) if upserts and key is not None else value


def _deletion(value: FormatTable) -> Column:
    """The changes of a message without a value."""
    nothing = [F.lit(None).cast(to_spark(type_)).alias(f"c{at}") for at, type_ in enumerate(value.row.types)]
    kind, path = F.lit(DELETE).cast("tinyint").alias("kind"), F.lit(None).cast("binary").alias("suffix")
    metadata = [F.lit(None).cast("string").alias(f"m{at}") for at in range(len(value.metadata))]
    return F.array(F.struct(kind, path, *nothing, *metadata))


def _metadata(name: str) -> Column:
    """Metadata of a message; null for metadata of the value's format."""
    if name.startswith("value."):
        return F.lit(None)
    if name == "headers":
        return _headers()
    if name == "timestamp-type":
        return reduce(
            lambda column, item: F.when(F.col("timestampType") == item[0], item[1]).otherwise(column),
            _TIMES.items(),
            F.lit(None).cast("string"),
        )
    return F.col(name)


def _headers() -> Column:
    """The headers as a map; the last of several with one name wins."""
    headers = F.coalesce(F.col("headers"), F.array().cast("array<struct<key:string,value:binary>>"))

    def is_last(header: Column, at: Column) -> Column:
        behind = F.slice(headers, at + 2, F.size(headers) + 1)
        return ~lambdas.exists(behind, lambda later: later["key"] == header["key"])

    return F.map_from_entries(lambdas.filtered(headers, is_last))
