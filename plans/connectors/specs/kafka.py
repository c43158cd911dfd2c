"""The connector `kafka`. Sources: Flink's page "Kafka"; options that Flink's connector 5.0 accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.connectors.jars import KAFKA
from compiled_plan.plans.connectors.kafka_settings import reached
from compiled_plan.plans.connectors.messages import (
    BOUNDED,
    COMMON,
    METADATA,
    PROPERTIES,
    STARTUP,
    Parts,
    listed,
    parts,
    topic_faults,
)
from compiled_plan.plans.connectors.messages import faults as message_faults
from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.connectors.spec import (
    KEY_AND_VALUE,
    Boundedness,
    ConnectorSpec,
    Guarantee,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import RowType

_PARTITIONERS = ("default", "fixed", "round-robin")


def parts_of(columns: RowType, options: Mapping[str, str]) -> Parts:
    """The columns of keys and values; the option `key.fields` names the key's."""
    return parts(columns, options, listed(options.get("key.fields", "")))


def _messages(use: TableUse) -> Mapping[str, RowType]:
    return parts_of(use.columns, use.options).rows(use.columns)


def _faults(use: TableUse) -> Iterator[TableFault]:
    options, table = use.options, use.table
    key = listed(options.get("key.fields", ""))
    yield from message_faults(use, key)
    if "key.format" in options and not key:
        message = f"table {table} has a format for keys, and no key columns"
        yield TableFault(message, "add 'key.fields' = '...', or leave 'key.format' out", "key.format")
    if key and "key.format" not in options:
        message = f"table {table} has key columns, and no format for keys"
        yield TableFault(message, "add 'key.format' = '...'", "key.fields")
    yield from _format_faults(use)
    if not use.reading and options.get("sink.partitioner") == "round-robin" and key:
        message = f"table {table} deals messages out round robin, and they have keys"
        yield TableFault(message, "leave 'key.fields' out, or set 'sink.partitioner' = 'default'", "sink.partitioner")
    if not use.reading and options.get("sink.partitioner", "default") not in _PARTITIONERS:
        message = f"'sink.partitioner' = {options['sink.partitioner']!r} of table {table} is not supported"
        remedy = f"set one of: {', '.join(_PARTITIONERS)}"
        yield TableFault(message, remedy, "sink.partitioner", supported=False, foreign=True)


def _format_faults(use: TableUse) -> Iterator[TableFault]:
    options = use.options
    name = options.get("key.format")
    key = format_spec(name)
    if key is not None and not key.reads.insert_only:
        message = f"format {name!r} holds changes, and a key of table {use.table} cannot"
        yield TableFault(message, "choose a format of inserts, such as 'json'", "key.format")
    option = "value.format" if "value.format" in options else "format"
    value = format_spec(options.get(option))
    if use.primary_key and value is not None and value.reads.insert_only:
        message = f"table {use.table} has a primary key, which messages of format {options[option]!r} do not heed"
        yield TableFault(message, "leave PRIMARY KEY out, or use the connector 'upsert-kafka'", option)


SPEC = ConnectorSpec(
    "kafka",
    "Messages of Kafka topics.",
    {
        **COMMON,
        "key.fields": TableOption(Kind.TEXT, doc="Columns of the key, separated by semicolons."),
        **STARTUP,
        **BOUNDED,
        "sink.partitioner": TableOption(
            Kind.TEXT,
            "default",
            doc="The partition of a message: Kafka decides for `default` and `round-robin`; `fixed`: one per task.",
            uses=Use.SINK,
        ),
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION, projects=False, watermarks=True),
    sink=SinkSpec(guarantee=Guarantee.AT_LEAST_ONCE),
    formats=KEY_AND_VALUE,
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
