"""Rows as messages of Kafka.

Source: Flink's pages "Kafka" and "Upsert Kafka"; Spark's page "Structured Streaming + Kafka Integration Guide".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.messages import listed
from compiled_plan.plans.connectors.spec import FormatSpec
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.base import DELETE, INSERT, KIND, ORD, PATH, UPDATE_BEFORE
from compiled_plan.plans.execution.connectors.messages import KEY, VALUE, Messages

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True)
class MessageSink:
    """Writes each row as a message; a micro-batch that runs again writes its messages again.

    Rows of one key, and of one task where there are no keys, are written in the order in which they were made.
    """

    READS_ORDER: ClassVar[bool] = True

    messages: Messages
    upserts: bool
    partitions: int | None

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write a batch; see `Sink.write`."""
        key = self._part(KEY)
        rows = frame.select(KIND, ORD, PATH, self._part(VALUE).alias("value"), key.alias("key"), *self._metadata())
        if self.messages.format_of(KEY) is not None:
            rows = rows.repartition("key")
        rows = rows.sortWithinPartitions(ORD, PATH)
        if self.partitions is not None:
            rows = rows.withColumn("partition", F.spark_partition_id() % F.lit(self.partitions))
        names = [name for name in ("key", "value", "topic", "headers", "partition") if name in rows.columns]
        settings = {f"kafka.{name}": value for name, value in self.messages.settings.items() if name != "group.id"}
        rows.select(*names).write.format("kafka").options(**settings).save()

    def _part(self, part: str) -> Column:
        """The bytes of the key or the value."""
        found = self.messages.format_of(part)
        if found is None:
            return F.lit(None).cast("binary")
        format_, table = found
        names = self.messages.table.columns.names
        chosen = self.messages.parts.key if part == KEY else self.messages.parts.value
        row = F.struct(*(F.col(f"f{names.index(name)}").alias(f"c{at}") for at, name in enumerate(chosen)))
        gone = F.col(KIND).isin(DELETE, UPDATE_BEFORE)
        if part == KEY or self.upserts:
            line = format_.line(self.messages.spark, table, F.lit(INSERT).cast("tinyint"), row).cast("binary")
            return F.when(~gone, line) if part == VALUE else line
        return format_.line(self.messages.spark, table, self._kind(format_.spec), row).cast("binary")

    def _kind(self, spec: FormatSpec) -> Column:
        """The kind; where the format holds inserts alone, any other fails the run."""
        if not spec.writes.insert_only:
            return F.col(KIND)
        message = F.lit(
            f"format {spec.name!r} of table {self.messages.table.identifier} holds inserts alone, "
            "and the plan gives it an update or delete"
        )
        return F.when(F.col(KIND) == INSERT, F.col(KIND)).otherwise(F.raise_error(message).cast("tinyint"))

    def _metadata(self) -> list[Column]:
        width = len(self.messages.table.columns.fields)
        given = {key: F.col(f"f{width + at}") for at, (key, _) in enumerate(self.messages.table.metadata)}
        topic = given.get("topic", F.lit(self.messages.table.options.get("topic", "")))
        found = [topic.alias("topic")]
        if "headers" in given:
            entries = F.map_entries(given["headers"])
            found.append(F.transform(entries, lambda each: F.struct(each["key"], each["value"])).alias("headers"))
        return found


def write(messages: Messages, *, upserts: bool) -> MessageSink:
    """A sink for a table.

    Raises:
        UnsupportedError: metadata that Spark's connector does not take; several topics, and none named by rows.
        DataError: there is no such topic.
        ExecutionError: the brokers do not answer.
    """
    table = messages.checked().table
    keys = [key for key, _ in table.metadata]
    if "timestamp" in keys:
        raise UnsupportedError(
            "Spark's connector for Kafka does not write the metadata 'timestamp'",
            where=f"table {table.identifier}",
            remedy="declare the column VIRTUAL, or leave it out",
        )
    topics = listed(table.options.get("topic", ""))
    if "topic" not in keys and len(topics) != 1:
        raise UnsupportedError(
            f"table {table.identifier} has not one topic, and its rows name none",
            where=f"table {table.identifier}",
            remedy="name one topic, or add a column: topic STRING NOT NULL METADATA",
        )
    if topics:
        messages.topics.check()
    fixed = messages.spec.values(table.options).given.get("sink.partitioner") == "fixed"
    return MessageSink(messages, upserts, messages.topics.partitions(topics[0]) if fixed and topics else None)
