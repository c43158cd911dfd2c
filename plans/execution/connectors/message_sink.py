"""Rows as messages of Kafka.

Source: Flink's pages "Kafka" and "Upsert Kafka"; Spark's page "Structured Streaming + Kafka Integration Guide".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.execution.connectors.message_source import read
from compiled_plan.plans.execution.connectors.messages import KEY, VALUE, Messages
from compiled_plan.plans.execution.formats.base import writable_kind
from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    INSERT,
    KIND,
    ORD,
    PATH,
    UPDATE_BEFORE,
    RowSource,
    SourceContext,
)
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.projection import Selection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


#: Columns of a message that Spark's connector reads.
_PARTS = ("key", "value", "topic", "headers", "partition")
_COMMITTED = {"properties.isolation.level": "read_committed"}


@dataclass(frozen=True)
class MessageSink:
    """Writes each row as a message; a repeated micro-batch writes its messages again.

    Rows of one key (of one task, if there are no keys) are written in the order in which they were produced.
    """

    READS_ORDER: ClassVar[bool] = True

    messages: Messages
    upserts: bool
    partitions: int | None

    def write(self, frame: DataFrame, batch_id: int) -> None:
        rows = self.encoded(frame)
        if self.messages.format_of(KEY) is not None:
            rows = rows.repartition("key")
        kernel = java_class(self.messages.spark._jvm, "org.compiledplan.kernel.kafka.MessageRows")
        # Spark's own writer does not report the number of rows, and the observation of it would time out.
        kernel.write(self.in_order(rows)._jdf, json.dumps(self.described()))

    def held(self, context: SourceContext) -> RowSource:
        """See `HoldsRows`: the committed messages of all partitions up to now."""
        table, end = self.messages.table, {"scan.bounded.mode": "latest-offset"}
        options = {**self.messages.spec.values(table.options).without(Use.SOURCE).explicit, **end, **_COMMITTED}
        messages = replace(self.messages, table=replace(table, options=options))
        return read(messages, context, upserts=self.upserts)

    def described(self, **defaults: str) -> dict[str, object]:
        """Parameters of the kernel's MessageRows; `defaults` are producer settings that the table may override."""
        settings = {**defaults, **self.producer_settings()}
        return {"settings": settings, "table": self.messages.table.identifier}

    def encoded(self, frame: DataFrame) -> DataFrame:
        """The rows with the columns of their messages: `key`, `value`, `topic`, and `headers` if written."""
        return self._encoded.among(frame)

    @cached_property
    def _encoded(self) -> Selection:
        return Selection((F.col("*"), *self.parts()))

    def producer_settings(self) -> dict[str, str]:
        """The settings of Kafka's producer."""
        return {name: value for name, value in self.messages.settings.items() if name != "group.id"}

    def parts(self) -> list[Column]:
        """`key`, `value`, `topic`, and `headers` if written, from `kind`, `f0`, `f1`, ...."""
        return [self._part(KEY).alias("key"), self._part(VALUE).alias("value"), *self._metadata()]

    def fixed_partition(self) -> list[Column]:
        """`partition`, the one for all messages of a task, if the table says so."""
        if self.partitions is None:
            return []
        return [(F.spark_partition_id() % F.lit(self.partitions)).alias("partition")]

    def in_order(self, rows: DataFrame) -> DataFrame:
        """The messages of each partition in the order of their rows, with their target partition."""
        rows = rows.sortWithinPartitions(ORD, PATH)
        rows = rows.select("*", *self.fixed_partition())
        return rows.select(*(name for name in _PARTS if name in rows.columns))

    def _part(self, part: str) -> Column:
        """The bytes of the key or the value."""
        format_and_table = self.messages.format_of(part)
        if format_and_table is None:
            return F.lit(None).cast("binary")
        format_, table = format_and_table
        names = self.messages.table.columns.names
        chosen = self.messages.parts.key if part == KEY else self.messages.parts.value
        row = F.struct(*(F.col(f"f{names.index(name)}").alias(f"c{at}") for at, name in enumerate(chosen)))
        gone = F.col(KIND).isin(DELETE, UPDATE_BEFORE)
        if part == KEY or self.upserts:
            line = format_.line(self.messages.spark, table, F.lit(INSERT).cast("tinyint"), row).cast("binary")
            return F.when(~gone, line) if part == VALUE else line
        kind = writable_kind(format_.spec, self.messages.table)
        return format_.line(self.messages.spark, table, kind, row).cast("binary")

    def _metadata(self) -> list[Column]:
        width = len(self.messages.table.columns.fields)
        metadata = {key: F.col(f"f{width + at}") for at, (key, _) in enumerate(self.messages.table.metadata)}
        topic = metadata.get("topic", F.lit(self.messages.table.options.get("topic", "")))
        columns = [topic.alias("topic")]
        if "headers" in metadata:
            entries = F.map_entries(metadata["headers"])
            columns.append(
                lambdas.transform(entries, lambda entry: F.struct(entry["key"], entry["value"])).alias("headers")
            )
        return columns
