"""The connector `upsert-kafka`. Sources: Flink's page "Upsert Kafka"; options that Flink's connector 5.0 accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.connectors.common import tuning
from compiled_plan.plans.connectors.jars import KAFKA
from compiled_plan.plans.connectors.kafka_settings import reached
from compiled_plan.plans.connectors.messages import BOUNDED, COMMON, METADATA, PROPERTIES, faults, parts, topic_faults
from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.connectors.spec import (
    NEEDED_KEY_AND_VALUE,
    Boundedness,
    ConnectorSpec,
    Guarantee,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode


def _messages(use: TableUse) -> Mapping[str, RowType]:
    return parts(use.columns, use.options, use.primary_key).rows(use.columns)


def _faults(use: TableUse) -> Iterator[TableFault]:
    if not use.primary_key:
        message = f"table {use.table} of connector 'upsert-kafka' has no primary key"
        yield TableFault(message, "declare PRIMARY KEY (...) NOT ENFORCED: its columns are the messages' key")
        return
    yield from faults(use, use.primary_key)
    for option in ("key.format", "value.format"):
        format_ = format_spec(use.options.get(option))
        if format_ is not None and not format_.reads.insert_only:
            message = f"format {format_.name!r} holds changes, and messages of table {use.table} are rows"
            yield TableFault(message, "choose a format of inserts, such as 'json'", option)


SPEC = ConnectorSpec(
    "upsert-kafka",
    "The newest message per key of Kafka topics; a message without a value deletes its key.",
    {
        **COMMON,
        **BOUNDED,
        "sink.buffer-flush.max-rows": tuning(Kind.INTEGER, "Number of rows to buffer, reduced to the newest per key."),
        "sink.buffer-flush.interval": tuning(Kind.DURATION, "Maximum time of buffering."),
    },
    source=SourceSpec(ChangelogMode.UPSERT, Boundedness.BY_OPTION, projects=False, watermarks=True),
    sink=SinkSpec(ChangelogMode.UPSERT, Guarantee.BY_KEY, read_back="up to its latest offsets"),
    formats=NEEDED_KEY_AND_VALUE,
    own_changes=True,
    groups=(PROPERTIES,),
    metadata=METADATA,
    metadata_faults=topic_faults,
    place=("properties.bootstrap.servers", "topic", "topic-pattern"),
    packages=KAFKA,
    faults=_faults,
    messages=_messages,
    reached=reached,
    at_start="brokers and topics",
)
