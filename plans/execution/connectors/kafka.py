"""The connector `kafka`: messages of Kafka's topics, read and written by Spark's connector."""

from __future__ import annotations

from compiled_plan.plans.connectors.specs.kafka import SPEC, parts_of
from compiled_plan.plans.execution.connectors.base import (
    Sink,
    SinkContext,
    Source,
    SourceContext,
    TableSpec,
    sink_connector,
    source_connector,
)
from compiled_plan.plans.execution.connectors.message_sink import write
from compiled_plan.plans.execution.connectors.message_source import read
from compiled_plan.plans.execution.connectors.messages import messages_of


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> Source:
    """The rows of a table; see `read`."""
    return read(messages_of(table, SPEC, parts_of(table.columns, table.options), context.spark), context, upserts=False)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> Sink:
    """A sink for a table; see `write`."""
    parts = parts_of(table.columns, table.options)
    return write(messages_of(table, SPEC, parts, context.spark), context, upserts=False)
