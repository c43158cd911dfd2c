"""Declarations that message connectors share: columns of a message's key and value, options of topics."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from compiled_plan.plans.connectors import dead_letters
from compiled_plan.plans.connectors.common import VERSION, WATERMARKS, passive, tuning
from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.connectors.schema_registry import SUBJECT
from compiled_plan.plans.connectors.spec import FormatSlot, Metadata, TableUse
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import BIGINT, BYTES, INT, STRING, Field, MapType, RowType, TimestampLtzType

#: Codes of Flink and Spark in the place of an offset: the committed one of the consumer group (Flink alone), and the
#: ends of the partition.
COMMITTED, EARLIEST, LATEST = -3, -2, -1
_MOMENT = TimestampLtzType(precision=3)
_HEADERS = MapType(key=STRING, value=BYTES)

METADATA = {
    "topic": Metadata(
        STRING.not_null(), "The topic; a sink with several topics writes to it.", written=STRING.not_null()
    ),
    "partition": Metadata(INT.not_null(), "The partition."),
    "headers": Metadata(_HEADERS.not_null(), "The headers; the last one of each name.", written=_HEADERS),
    "leader-epoch": Metadata(
        INT, "The leader's epoch. Spark's connector does not provide it: a run refuses it.", runs=Use(0)
    ),
    "offset": Metadata(BIGINT.not_null(), "The offset of the message in its partition."),
    "timestamp": Metadata(
        _MOMENT.not_null(),
        "The message's timestamp. Spark's connector does not write it: a run refuses a sink with it.",
        written=_MOMENT,
        runs=Use.SOURCE,
    ),
    "timestamp-type": Metadata(
        STRING.not_null(), "The type of the timestamp: `CreateTime`, `LogAppendTime` or `NoTimestampType`."
    ),
}


def topic_faults(table: str, options: Mapping[str, str], keys: Collection[str]) -> Iterator[TableFault]:
    """Fault of a sink without a single topic whose rows do not name their topic."""
    if "topic" not in keys and len(listed(options.get("topic", ""))) != 1:
        message = f"table {table} has not one topic, and its rows name none"
        yield TableFault(message, "name one topic, or add a column: topic STRING NOT NULL METADATA", foreign=True)


PROPERTIES = OptionGroup(
    "properties.",
    "Settings of Kafka clients by Kafka's names: `properties.security.protocol` and so on.",
    # Offsets in a checkpoint belong to topics, not to the consumer group.
    TableOption(Kind.TEXT, passive=True),
)
_BOUNDED = ("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets")
_STARTUP = ("earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets")


def _offsets(name: str, bound: str) -> dict[str, TableOption]:
    return {
        f"scan.{name}.specific-offsets": passive(
            Kind.TEXT,
            f"Mode `specific-offsets`: {bound} offset per partition, `partition:0,offset:42;partition:1,offset:300`.",
            Use.SOURCE,
        ),
        f"scan.{name}.timestamp-millis": passive(
            Kind.COUNT, f"Mode `timestamp`: {bound} timestamp of messages, in ms since 1970.", Use.SOURCE
        ),
    }


BOUNDED = {
    "scan.bounded.mode": passive(
        Kind.CHOICE, "The end of the table, determined when a run starts.", Use.SOURCE, "unbounded", _BOUNDED
    ),
    **_offsets("bounded", "the end"),
}
STARTUP = {
    "scan.startup.mode": passive(
        Kind.CHOICE, "The position from which a new checkpoint reads the table.", Use.SOURCE, "group-offsets", _STARTUP
    ),
    **_offsets("startup", "the start"),
}

#: Options that `kafka` and `upsert-kafka` share.
COMMON = {
    **VERSION,
    **dead_letters.OPTIONS,
    "topic": TableOption(Kind.TEXT, doc="The topic; several are separated by semicolons."),
    "topic-pattern": TableOption(Kind.TEXT, doc="Regular expression of the topics to read."),
    "properties.bootstrap.servers": TableOption(
        Kind.TEXT, doc="The Kafka brokers, separated by commas.", required=True
    ),
    "properties.group.id": passive(
        Kind.TEXT, "The consumer group; the mode `group-offsets` reads its offsets, and nothing commits them."
    ),
    "key.fields-prefix": TableOption(
        Kind.TEXT, doc="Prefix of the names of key columns, which the fields of the key format lack."
    ),
    "value.fields-include": TableOption(
        Kind.CHOICE, "ALL", ("ALL", "EXCEPT_KEY"), doc="`ALL`: the value includes the key columns, too."
    ),
    "scan.parallelism": tuning(Kind.INTEGER, "Number of reading tasks.", Use.SOURCE),
    "scan.topic-partition-discovery.interval": tuning(
        Kind.DURATION,
        "Interval of the discovery of partitions; here every micro-batch discovers them.",
        Use.SOURCE,
    ),
    **WATERMARKS,
    "sink.parallelism": passive(
        Kind.INTEGER,
        "With `exactly-once`, the number of writing tasks with separate transactions, by default 1; else no effect.",
        Use.SINK,
    ),
    "sink.delivery-guarantee": passive(
        Kind.CHOICE,
        "Delivery guarantee if a micro-batch is rewritten: duplicate rows, or with `exactly-once` none, through "
        "transactions.",
        Use.SINK,
        "at-least-once",
        ("at-least-once", "none", "exactly-once"),
        fallbacks=("sink.semantic",),
    ),
    "sink.semantic": passive(
        Kind.CHOICE,
        "Deprecated name of `sink.delivery-guarantee`.",
        Use.SINK,
        choices=("at-least-once", "none", "exactly-once"),
    ),
    "sink.transactional-id-prefix": passive(
        Kind.TEXT, "Prefix of the transaction ids, unique to this run; required for `exactly-once`.", Use.SINK
    ),
    "sink.transaction-naming-strategy": tuning(Kind.TEXT, "Naming of transactions."),
}

#: Client settings that the run sets and a table must not.
_OURS = ("key.deserializer", "value.deserializer", "key.serializer", "value.serializer", "interceptor.classes")
_OFFSET = re.compile(r"partition:(\d+),offset:(\d+)")


@dataclass(frozen=True, slots=True)
class Parts:
    """The columns in a message's key and in its value."""

    key: tuple[str, ...]  # names of the columns in the key, in the order of its format's fields
    value: tuple[str, ...]  # names of the columns in the value
    prefix: str  # prefix of key columns, absent from the fields of the key format

    def rows(self, columns: RowType) -> Mapping[str, RowType]:
        """The row types of key and value, by the option that names the part's format."""
        by_name = {field.name: field for field in columns.fields}
        key = tuple(_renamed(by_name[name], self.prefix) for name in self.key if name in by_name)
        value = replace(columns, fields=tuple(by_name[name] for name in self.value))
        return {"key.format": replace(columns, fields=key), "value.format": value, "format": value}


def _renamed(field: Field, prefix: str) -> Field:
    return replace(field, name=field.name.removeprefix(prefix))


def listed(text: str) -> tuple[str, ...]:
    """The items of a list option."""
    return tuple(item.strip() for item in text.split(";") if item.strip())


def parts(columns: RowType, options: Mapping[str, str], key: tuple[str, ...]) -> Parts:
    """Divide columns into key and value by the names of the key's columns."""
    apart = options.get("value.fields-include", "ALL").strip().upper().replace("-", "_") == "EXCEPT_KEY"
    value = tuple(name for name in columns.names if not (apart and name in key))
    return Parts(key, value, options.get("key.fields-prefix", ""))


def offsets(text: str) -> dict[int, int] | None:
    """Parse offsets by partition, such as `partition:0,offset:42;partition:1,offset:300`; None if malformed."""
    pairs = [_OFFSET.fullmatch(item.replace(" ", "")) for item in text.split(";") if item.strip()]
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair} if pairs and all(pairs) else None


def faults(use: TableUse, key: tuple[str, ...]) -> Iterator[TableFault]:
    """Faults of a table of any message connector; `key` names the columns of a message's key."""
    table, options = use.table, use.options
    yield from _topic_faults(use)
    for name in _OURS:
        if f"properties.{name}" in options:
            message = f"option 'properties.{name}' of table {table} is not supported"
            yield TableFault(message, "leave it out; formats say how messages are read", f"properties.{name}", False)
    yield from _key_faults(use, key)
    yield from dead_letters.faults(use)
    if not use.reading:
        yield from _subject_faults(use)
    if use.reading:
        yield from _mode_faults(use, "startup")
        yield from _mode_faults(use, "bounded")
        return
    yield from _transaction_faults(use)


def _transaction_faults(use: TableUse) -> Iterator[TableFault]:
    options, table, prefix = use.options, use.table, "sink.transactional-id-prefix"
    guarantee = next((options[name] for name in ("sink.delivery-guarantee", "sink.semantic") if name in options), "")
    if "properties.transactional.id" in options:
        message = f"option 'properties.transactional.id' of table {table} is not supported"
        remedy = f"set 'sink.delivery-guarantee' = 'exactly-once' and '{prefix}'"
        yield TableFault(message, remedy, "properties.transactional.id", supported=False)
    if int(options.get("sink.parallelism", "1")) < 1:
        message = f"'sink.parallelism' = {options['sink.parallelism']!r} of table {table} is no number of tasks"
        yield TableFault(message, "set 1 or more", "sink.parallelism")
    if guarantee.strip().lower().replace("_", "-") != "exactly-once":
        return
    if not options.get(prefix):
        message = f"table {table} is written exactly once, and lacks the option '{prefix}'"
        yield TableFault(message, f"add '{prefix}' = '...', a text that no other run uses")
    if not listed(options.get("topic", "")):
        message = f"table {table} is written exactly once, and names no topic in which that can be marked"
        yield TableFault(message, "add 'topic' = '...'", supported=False)


def _topic_faults(use: TableUse) -> Iterator[TableFault]:
    options, table = use.options, use.table
    both = [name for name in ("topic", "topic-pattern") if name in options]
    if len(both) == 2:
        yield TableFault(f"table {table} has both 'topic' and 'topic-pattern'", "leave one of them out", both[1])
    elif not both:
        yield TableFault(f"table {table} has no topic", "add 'topic' = '...', or 'topic-pattern' = '...'")
    elif "topic" in options and not listed(options["topic"]):
        yield TableFault(f"the topic of table {table} is empty", "name a topic", "topic")


def _subject_faults(use: TableUse) -> Iterator[TableFault]:
    """Faults of formats that register schemas: the subject is derived from a single topic, or must be set."""
    options = use.options
    for option in ("key.format", "value.format", "format"):
        spec = format_spec(options.get(option))
        if spec is None or SUBJECT not in spec.options or len(listed(options.get("topic", ""))) == 1:
            continue
        prefix = FormatSlot.prefix(option, spec.name)
        if not any(prefix + name in options for name in (SUBJECT, *spec.options[SUBJECT].fallbacks)):
            message = f"table {use.table} has not one topic, which would say the subject of its schemas"
            yield TableFault(message, f"set '{prefix}{SUBJECT}'", option)


def _key_faults(use: TableUse, key: tuple[str, ...]) -> Iterator[TableFault]:
    names, prefix = use.columns.names, use.options.get("key.fields-prefix", "")
    for name in key:
        if name not in names:
            message = f"key column {name!r} of table {use.table} is no column that its messages have"
            yield TableFault(message, f"columns: {', '.join(names)}", "key.fields")
        elif not name.startswith(prefix):
            message = f"key column {name!r} of table {use.table} does not begin with {prefix!r}"
            yield TableFault(message, "rename it, or leave 'key.fields-prefix' out", "key.fields-prefix")
    if prefix and parts(use.columns, use.options, key).value == names:
        message = f"table {use.table} has a prefix for key columns, and these are in the value, too"
        yield TableFault(message, "set 'value.fields-include' = 'EXCEPT_KEY'", "key.fields-prefix")


def _mode_faults(use: TableUse, name: str) -> Iterator[TableFault]:
    options, table = use.options, use.table
    mode = options.get(f"scan.{name}.mode", "").strip().lower().replace("_", "-")
    needed = {"timestamp": f"scan.{name}.timestamp-millis", "specific-offsets": f"scan.{name}.specific-offsets"}
    option = needed.get(mode)
    if option is not None and option not in options:
        yield TableFault(f"table {table} lacks the option '{option}', which mode {mode!r} needs", f"add '{option}'")
        return
    if mode == "specific-offsets":
        if len(listed(options.get("topic", ""))) != 1:
            message = f"table {table} has offsets of partitions, and not one topic"
            yield TableFault(message, "name one topic, or use another mode", f"scan.{name}.mode")
        elif offsets(options[needed[mode]]) is None:
            message = f"invalid value {options[needed[mode]]!r} for the option '{option}' of table {table}"
            yield TableFault(message, "write 'partition:0,offset:42;partition:1,offset:300'", option or "")
