"""The connector `upsert-kafka`: the newest message of each key; one without a value deletes."""

from __future__ import annotations

from compiled_plan.plans.connectors.messages import parts
from compiled_plan.plans.connectors.specs.upsert_kafka import SPEC
from compiled_plan.plans.execution.connectors.kafka import write
from compiled_plan.plans.execution.connectors.message_source import read
from compiled_plan.plans.execution.connectors.messages import Messages, messages_of
from compiled_plan.plans.execution.interfaces.connectors import (
    RowSink,
    RowSource,
    SinkContext,
    SourceContext,
    TableSpec,
    sink_connector,
    source_connector,
)


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """The rows of a table from the beginning of its topics; see `read`."""
    return read(_messages(table, context), context, upserts=True)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> RowSink:
    """A sink for a table; see `write`."""
    return write(_messages(table, context), context, upserts=True)


def _messages(table: TableSpec, context: SourceContext | SinkContext) -> Messages:
    found = parts(table.columns, table.options, table.primary_key)
    return messages_of(table, SPEC, found, context.spark)
