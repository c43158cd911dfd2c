"""The connector `kafka`: messages of Kafka's topics, read and written by Spark's connector."""

from __future__ import annotations

from compiled_plan.plans.connectors.messages import listed
from compiled_plan.plans.connectors.specs.kafka import SPEC, parts_of
from compiled_plan.plans.execution.connectors.message_sink import MessageSink
from compiled_plan.plans.execution.connectors.message_source import read
from compiled_plan.plans.execution.connectors.messages import Messages, messages_of
from compiled_plan.plans.execution.connectors.transactions import TransactionSink
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
    """The rows of a table; see `read`."""
    return read(messages_of(table, SPEC, parts_of(table.columns, table.options), context.spark), context, upserts=False)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> RowSink:
    """A sink for a table; see `write`."""
    parts = parts_of(table.columns, table.options)
    return write(messages_of(table, SPEC, parts, context.spark), context, upserts=False)


def write(messages: Messages, context: SinkContext, *, upserts: bool) -> RowSink:
    """A sink for a table.

    Args:
        context: see `SinkContext`.
        upserts: whether the row of a key is deleted by a message without a value.

    Raises:
        DataError: there is no such topic.
        ExecutionError: the brokers do not answer.
    """
    table = messages.table
    topics = listed(table.options.get("topic", ""))
    if topics:
        messages.topics.check()
    options = messages.spec.values(table.options)
    fixed = options.given.get("sink.partitioner") == "fixed"
    sink = MessageSink(messages, upserts, messages.topics.partitions(topics[0]) if fixed and topics else None)
    if options.text("sink.delivery-guarantee") != "exactly-once":
        return sink
    return TransactionSink(sink, context.run_id, context.begun)
