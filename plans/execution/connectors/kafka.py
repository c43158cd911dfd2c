"""The connector `kafka`, and code shared with `upsert-kafka`: messages of Kafka's topics, by Spark's connector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiled_plan.plans.connectors.messages import Parts, listed
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.connectors.specs.kafka import SPEC, parts_of
from compiled_plan.plans.execution.connectors.message_sink import MessageSink
from compiled_plan.plans.execution.connectors.message_source import read
from compiled_plan.plans.execution.connectors.messages import Messages
from compiled_plan.plans.execution.connectors.transactions import TransactionSink
from compiled_plan.plans.execution.interfaces.connectors import (
    RowSink,
    SinkContext,
    SourceContext,
    TableSpec,
    sink_connector,
    source_connector,
)


def register(spec: ConnectorSpec, parts: Callable[[TableSpec], Parts], *, upserts: bool) -> None:
    """Register a connector of messages.

    Args:
        spec: the connector.
        parts: returns the key columns and the value columns of a table.
        upserts: True if a message without a value deletes the row of its key.
    """

    def messages_of(table: TableSpec, context: SourceContext | SinkContext) -> Messages:
        return Messages(replace(table, wanted=None), spec, parts(table), context.spark)

    source_connector(spec)(lambda table, context: read(messages_of(table, context), context, upserts=upserts))
    sink_connector(spec)(lambda table, context: write(messages_of(table, context), context, upserts=upserts))


def write(messages: Messages, context: SinkContext, *, upserts: bool) -> RowSink:
    """A sink for a table.

    Args:
        context: see `SinkContext`.
        upserts: True if a message without a value deletes the row of its key.

    Raises:
        DataError: there is no such topic.
        ExecutionError: the brokers do not answer.
    """
    table = messages.table
    topics = listed(table.options.get("topic", ""))
    if topics:
        messages.topics.check()
    options = messages.spec.values(table.options)
    fixed = options.explicit.get("sink.partitioner") == "fixed"
    sink = MessageSink(messages, upserts, messages.topics.partitions(topics[0]) if fixed and topics else None)
    if options.text("sink.delivery-guarantee") != "exactly-once":
        return sink
    return TransactionSink(sink, context.run_id, context.begun)


register(SPEC, lambda table: parts_of(table.columns, table.options), upserts=False)
