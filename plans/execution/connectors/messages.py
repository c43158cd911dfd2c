"""The mapping of a table's rows to messages, shared by reading and writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.checks import format_options, formats_of
from compiled_plan.plans.connectors.dead_letters import unreadable_remedy
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.messages import Parts, listed
from compiled_plan.plans.connectors.schema_registry import OWN_SUBJECT
from compiled_plan.plans.connectors.spec import ConnectorSpec, FormatSlot
from compiled_plan.plans.execution.connectors.brokers import Topics
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from compiled_plan.plans.execution.interfaces.connectors import TableSpec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The options that name the formats of both parts.
KEY, VALUE = "key.format", "value.format"
#: Settings of Flink's clients without effect in Spark's, which commit no offsets.
_PASSED_OVER = frozenset(
    "auto.offset.reset enable.auto.commit auto.commit.interval.ms client.id.prefix commit.offsets.on.checkpoint "
    "partition.discovery.interval.ms register.consumer.metrics".split()
)


def topics_of(table: TableSpec, spec: ConnectorSpec, spark: SparkSession) -> Topics:
    """The topics of a table of this connector."""
    return Topics(spark, table.identifier, spec.values(table.options), _settings(table))


def _settings(table: TableSpec) -> dict[str, str]:
    """The settings of Kafka's clients."""
    start = "properties."
    prefixed = {key.removeprefix(start): value for key, value in table.options.items() if key.startswith(start)}
    return {key: value for key, value in prefixed.items() if key not in _PASSED_OVER}


@dataclass(frozen=True, slots=True)
class Messages:
    """The mapping of a table's rows to messages.

    Args:
        spec: its connector.
        parts: the key columns and the value columns.
    """

    table: TableSpec
    spec: ConnectorSpec
    parts: Parts
    spark: SparkSession

    @property
    def settings(self) -> dict[str, str]:
        return _settings(self.table)

    @property
    def topics(self) -> Topics:
        return topics_of(self.table, self.spec, self.spark)

    def format_of(self, part: str) -> tuple[LineFormat, FormatTable] | None:
        """The format of a part of the messages, and its table; None if the part has no format."""
        formats = formats_of(self.table.options, self.spec)
        option = part if part in formats else "format" if part == VALUE else ""
        if option not in formats:
            return None
        name = formats[option].name
        options = {**format_options(self.table.options, name, option), "message": "true"}
        topics = listed(self.table.options.get("topic", ""))
        if len(topics) == 1:
            options[OWN_SUBJECT] = f"{topics[0]}-{'key' if part == KEY else 'value'}"
        row = self.parts.rows(self.table.columns)[part]
        metadata = self._format_metadata(formats[option]) if part == VALUE else ()
        name_of_part = f"{self.table.identifier}, key" if part == KEY else self.table.identifier
        remedy = unreadable_remedy(self.spec, formats[option], FormatSlot.prefix(option, name))
        table = FormatTable(name_of_part, row, options, metadata, remedy=remedy)
        format_ = file_format(name)
        assert isinstance(format_, LineFormat), name
        return format_, table

    def _format_metadata(self, spec: FormatSpec) -> tuple[str, ...]:
        wanted = [key.removeprefix("value.") for key, _ in self.table.metadata if key.startswith("value.")]
        return tuple(key for key in wanted if key in spec.metadata)
