"""The connectors and formats that there are.

Source: Flink's pages "FileSystem", "DataGen", "Print", "BlackHole", "JDBC", "JSON", "CSV", "Parquet", "ORC", "Avro",
"Raw", "Debezium", "Canal", "Maxwell", and what Flink 2.3 takes and refuses: `property-version` with any value by some
connectors, `sink.parallelism` by some, `scan.parallelism` of files by none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from plans.connectors.declarations import Changes, Connector, Effect, Format, TableOption
from plans.options import Kind
from plans.types import BIGINT, STRING, TimestampLtzType

_TEXT, _BOOLEAN, _INTEGER = TableOption(Kind.TEXT), TableOption(Kind.BOOLEAN), TableOption(Kind.INTEGER)
_POSITIVE, _CHARACTER, _DURATION = TableOption(Kind.POSITIVE), TableOption(Kind.CHARACTER), TableOption(Kind.DURATION)
_NEEDED = TableOption(Kind.TEXT, required=True)
_REFUSED = TableOption(Kind.TEXT, effect=Effect.REFUSED)


def _tuning(kind: Kind, names: str) -> dict[str, TableOption]:
    return {name: TableOption(kind, effect=Effect.TUNING) for name in names.split()}


_CONNECTOR = {"connector": _TEXT}
_VERSIONED = {**_CONNECTOR, **_tuning(Kind.TEXT, "property-version")}

_JSON = {
    "ignore-parse-errors": _BOOLEAN,
    "timestamp-format.standard": TableOption(Kind.WORD, "SQL", ("SQL", "ISO-8601")),
    "map-null-key.mode": TableOption(Kind.CHOICE, "FAIL", ("FAIL", "DROP", "LITERAL")),
    "map-null-key.literal": _TEXT,
    "encode.decimal-as-plain-number": _BOOLEAN,
    "encode.ignore-null-fields": _BOOLEAN,
}
_CSV = {
    "field-delimiter": TableOption(Kind.DELIMITER, ","),
    "disable-quote-character": _BOOLEAN,
    "quote-character": _CHARACTER,
    "allow-comments": _BOOLEAN,
    "ignore-parse-errors": _BOOLEAN,
    "array-element-delimiter": _TEXT,
    "escape-character": _CHARACTER,
    "null-literal": _TEXT,
    "write-bigdecimal-in-scientific-notation": _BOOLEAN,
    "trim-spaces": _BOOLEAN,
    "ignore-trailing-unmappable": _BOOLEAN,
    "allow-trailing-comma": _BOOLEAN,
    "fail-on-missing-columns": _BOOLEAN,
    "empty-string-as-null": _BOOLEAN,
}
_AVRO = {
    "codec": TableOption(Kind.WORD, "snappy", ("null", "deflate", "snappy", "bzip2", "xz", "zstandard")),
    # A container file has but one encoding; the option is for messages.
    "encoding": TableOption(Kind.CHOICE, "binary", ("binary", "json"), effect=Effect.TUNING),
    "timestamp_mapping.legacy": _BOOLEAN,
}
_RAW = {"charset": _TEXT, "endianness": TableOption(Kind.WORD, "big-endian", ("big-endian", "little-endian"))}

_FILES = {
    **_VERSIONED,
    "path": _NEEDED,
    "format": _NEEDED,
    "partition.default-name": _TEXT,
    "source.monitor-interval": _DURATION,
    # These tune how many files are made, how fast, and what is known of them beforehand.
    **_tuning(
        Kind.TEXT,
        "source.report-statistics partition.time-extractor.kind partition.time-extractor.class "
        "partition.time-extractor.timestamp-pattern partition.time-extractor.timestamp-formatter "
        "sink.partition-commit.trigger sink.partition-commit.watermark-time-zone "
        "sink.partition-commit.success-file.name",
    ),
    **_tuning(Kind.INTEGER, "sink.parallelism compaction.parallelism"),
    **_tuning(Kind.BOOLEAN, "sink.shuffle-by-partition.enable auto-compaction"),
    **_tuning(Kind.MEMORY, "sink.rolling-policy.file-size compaction.file-size"),
    **_tuning(
        Kind.DURATION,
        "sink.rolling-policy.rollover-interval sink.rolling-policy.check-interval "
        "sink.rolling-policy.inactivity-interval sink.partition-commit.delay",
    ),
    "source.path.regex-pattern": _REFUSED,
    "sink.partition-commit.policy.kind": _REFUSED,
    "sink.partition-commit.policy.class": _REFUSED,
    "sink.partition-commit.policy.class.parameters": _REFUSED,
}

#: Options of sources and sinks have no effect on lookups.
_JDBC = {
    **_CONNECTOR,
    "url": _NEEDED,
    "table-name": _NEEDED,
    "driver": _TEXT,
    "username": _TEXT,
    "password": _TEXT,
    "connection.max-retry-timeout": _DURATION,
    "lookup.cache": TableOption(Kind.CHOICE, "NONE", ("NONE", "PARTIAL")),
    "lookup.max-retries": _INTEGER,
    "lookup.cache.max-rows": _POSITIVE,
    "lookup.cache.ttl": _DURATION,
    "lookup.cache.caching-missing-key": _BOOLEAN,
    "lookup.partial-cache.max-rows": _POSITIVE,
    "lookup.partial-cache.expire-after-write": _DURATION,
    "lookup.partial-cache.expire-after-access": _DURATION,
    "lookup.partial-cache.cache-missing-key": _BOOLEAN,
    **_tuning(Kind.TEXT, "compatible-mode scan.partition.column"),
    **_tuning(Kind.BOOLEAN, "scan.auto-commit"),
    **_tuning(
        Kind.INTEGER,
        "scan.fetch-size scan.partition.num scan.partition.lower-bound scan.partition.upper-bound "
        "sink.buffer-flush.max-rows sink.max-retries sink.parallelism",
    ),
    **_tuning(Kind.DURATION, "sink.buffer-flush.interval"),
}


_T = TypeVar("_T", Connector, Format)


def _by_name(items: Iterable[_T]) -> dict[str, _T]:
    return {item.name: item for item in items}


FORMATS: Mapping[str, Format] = _by_name(
    (
        Format(
            "json",
            {**_JSON, "fail-on-missing-field": _BOOLEAN, "decode.json-parser.enabled": _BOOLEAN},
            not_both=(("ignore-parse-errors", "fail-on-missing-field"),),
        ),
        Format("csv", _CSV),
        Format("parquet", open=True),
        Format("orc", open=True),
        Format("avro", _AVRO),
        Format("raw", _RAW),
        Format("debezium-json", {**_JSON, "schema-include": _BOOLEAN}, Changes.ALL, Changes.ALL),
        Format("canal-json", {**_JSON, "database.include": _TEXT, "table.include": _TEXT}, Changes.ALL, Changes.ALL),
        Format("maxwell-json", _JSON, Changes.ALL, Changes.ALL),
    )
)

CONNECTORS: Mapping[str, Connector] = _by_name(
    (
        Connector(
            "filesystem",
            _FILES,
            formatted=True,
            metadata={
                "file.path": STRING.not_null(),
                "file.name": STRING.not_null(),
                "file.size": BIGINT.not_null(),
                "file.modification-time": TimestampLtzType(precision=3, nullable=False),
            },
        ),
        Connector(
            "datagen",
            {
                **_CONNECTOR,
                "rows-per-second": _POSITIVE,
                "number-of-rows": TableOption(Kind.COUNT),
                **_tuning(Kind.INTEGER, "scan.parallelism"),
            },
            sink=False,
            by_column=True,
        ),
        Connector(
            "print",
            {
                **_VERSIONED,
                "print-identifier": _TEXT,
                "standard-error": _BOOLEAN,
                **_tuning(Kind.INTEGER, "sink.parallelism"),
            },
            source=False,
            writes=Changes.ALL,
        ),
        Connector("blackhole", _VERSIONED, source=False, writes=Changes.UPSERT),
        Connector("jdbc", _JDBC, sink=False, lookup=True, scan=False),
    )
)

#: Connectors of tables that a program has in its hands: its DataFrames, and the rows that it collects.
IN_PROCESS: Mapping[str, Connector] = _by_name(
    (
        Connector("inline", {**_CONNECTOR, "id": _NEEDED}, sink=False),
        Connector("collect", {**_CONNECTOR, "id": _NEEDED}, source=False, writes=Changes.ALL),
    )
)

#: Names that Flink's distribution has and that do not run here; refused as unsupported, not as misspelt.
FLINK_CONNECTORS = frozenset(
    "kafka upsert-kafka kinesis firehose dynamodb elasticsearch-6 elasticsearch-7 elasticsearch-8 opensearch "
    "mongodb hbase-1.4 hbase-2.2 hive hudi iceberg paimon mysql-cdc postgres-cdc oracle-cdc sqlserver-cdc mongodb-cdc "
    "pulsar rabbitmq python-input".split()
)
FLINK_FORMATS = frozenset("avro-confluent debezium-avro-confluent ogg-json protobuf testcsv".split())
