"""The WITH options of connectors and formats: which exist, and which values they take.

Source: Flink's pages "FileSystem", "DataGen", "Print", "BlackHole", "JSON", "CSV", "Parquet", "ORC", "Avro", "Raw",
"Debezium", "Canal", "Maxwell", and the options that Flink 2.3 lists when it refuses an unknown one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planner.catalog.tables import CatalogTable
from planner.options import Kind, Option
from planner.suggestions import did_you_mean
from plans.errors import ProgramError
from plans.types import ArrayType, FieldsType, LogicalType, MapType, MultisetType

_TEXT, _BOOLEAN, _INTEGER = Option(Kind.TEXT), Option(Kind.BOOLEAN), Option(Kind.INTEGER)
_DURATION, _MEMORY = Option(Kind.DURATION), Option(Kind.MEMORY)

_COMMON = {"connector": _TEXT, "property-version": _INTEGER}
_JSON = {
    "ignore-parse-errors": _BOOLEAN,
    "timestamp-format.standard": Option(Kind.CHOICE, "SQL", ("SQL", "ISO-8601")),
    "map-null-key.mode": Option(Kind.CHOICE, "FAIL", ("FAIL", "DROP", "LITERAL")),
    "map-null-key.literal": _TEXT,
    "encode.decimal-as-plain-number": _BOOLEAN,
    "encode.ignore-null-fields": _BOOLEAN,
}

CONNECTOR_OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "jdbc": {
        **_COMMON,
        "url": _TEXT,
        "table-name": _TEXT,
        "driver": _TEXT,
        "compatible-mode": _TEXT,
        "username": _TEXT,
        "password": _TEXT,
        "connection.max-retry-timeout": _DURATION,
        "scan.fetch-size": _INTEGER,
        "scan.auto-commit": _BOOLEAN,
        "scan.partition.column": _TEXT,
        "scan.partition.num": _INTEGER,
        "scan.partition.lower-bound": _INTEGER,
        "scan.partition.upper-bound": _INTEGER,
        "lookup.cache": Option(Kind.CHOICE, "NONE", ("NONE", "PARTIAL")),
        "lookup.cache.max-rows": _INTEGER,
        "lookup.cache.ttl": _DURATION,
        "lookup.cache.caching-missing-key": _BOOLEAN,
        "lookup.max-retries": _INTEGER,
        "lookup.partial-cache.expire-after-access": _DURATION,
        "lookup.partial-cache.expire-after-write": _DURATION,
        "lookup.partial-cache.cache-missing-key": _BOOLEAN,
        "lookup.partial-cache.max-rows": _INTEGER,
    },
    "filesystem": {
        **_COMMON,
        "path": _TEXT,
        "format": _TEXT,
        "partition.default-name": _TEXT,
        "source.monitor-interval": _DURATION,
        "source.report-statistics": _TEXT,
        "source.path.regex-pattern": _TEXT,
        "scan.parallelism": _INTEGER,
        "sink.parallelism": _INTEGER,
        "sink.rolling-policy.file-size": _MEMORY,
        "sink.rolling-policy.rollover-interval": _DURATION,
        "sink.rolling-policy.check-interval": _DURATION,
        "sink.rolling-policy.inactivity-interval": _DURATION,
        "sink.shuffle-by-partition.enable": _BOOLEAN,
        "auto-compaction": _BOOLEAN,
        "compaction.file-size": _MEMORY,
        "compaction.parallelism": _INTEGER,
        "partition.time-extractor.kind": _TEXT,
        "partition.time-extractor.class": _TEXT,
        "partition.time-extractor.timestamp-pattern": _TEXT,
        "partition.time-extractor.timestamp-formatter": _TEXT,
        "sink.partition-commit.trigger": _TEXT,
        "sink.partition-commit.delay": _DURATION,
        "sink.partition-commit.watermark-time-zone": _TEXT,
        "sink.partition-commit.policy.kind": _TEXT,
        "sink.partition-commit.policy.class": _TEXT,
        "sink.partition-commit.policy.class.parameters": _TEXT,
        "sink.partition-commit.success-file.name": _TEXT,
    },
    "datagen": {**_COMMON, "rows-per-second": _INTEGER, "number-of-rows": _INTEGER, "scan.parallelism": _INTEGER},
    "print": {**_COMMON, "print-identifier": _TEXT, "standard-error": _BOOLEAN, "sink.parallelism": _INTEGER},
    "blackhole": {**_COMMON},
    "inline": {**_COMMON, "id": _TEXT},
    "collect": {**_COMMON, "id": _TEXT},
}

FORMAT_OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "json": {**_JSON, "fail-on-missing-field": _BOOLEAN, "decode.json-parser.enabled": _BOOLEAN},
    "debezium-json": {**_JSON, "schema-include": _BOOLEAN},
    "canal-json": {**_JSON, "database.include": _TEXT, "table.include": _TEXT},
    "maxwell-json": _JSON,
    "avro": {
        "codec": Option(Kind.CHOICE, "snappy", ("null", "deflate", "snappy", "bzip2", "xz", "zstandard")),
        "encoding": Option(Kind.CHOICE, "binary", ("binary", "json")),
        "timestamp_mapping.legacy": _BOOLEAN,
    },
    "raw": {
        "charset": _TEXT,
        "endianness": Option(Kind.CHOICE, "big-endian", ("big-endian", "little-endian")),
    },
    "csv": {
        "field-delimiter": _TEXT,
        "disable-quote-character": _BOOLEAN,
        "quote-character": _TEXT,
        "allow-comments": _BOOLEAN,
        "ignore-parse-errors": _BOOLEAN,
        "array-element-delimiter": _TEXT,
        "escape-character": _TEXT,
        "null-literal": _TEXT,
        "write-bigdecimal-in-scientific-notation": _BOOLEAN,
        "trim-spaces": _BOOLEAN,
    },
}

#: Formats whose further options go to a library as they are.
OPEN_FORMATS = frozenset(("parquet", "orc"))

_FIELD = {
    "kind": Option(Kind.CHOICE, "random", ("random", "sequence")),
    "min": Option(Kind.NUMBER),
    "max": Option(Kind.NUMBER),
    "max-past": _DURATION,
    "length": _INTEGER,
    "var-len": _BOOLEAN,
    "start": Option(Kind.NUMBER),
    "end": Option(Kind.NUMBER),
    "null-rate": Option(Kind.NUMBER),
}


def check_options(table: CatalogTable, connector: str, *, formatted: bool) -> None:
    """Refuse options that the table's connector and format do not have, and values that they cannot have.

    Raises:
        ProgramError: names the option, and the nearest one that exists.
    """
    known = dict(CONNECTOR_OPTIONS[connector])
    open_prefix: str | None = None
    if formatted:
        name = table.option("format", "") or ""
        known.update({f"{name}.{key}": option for key, option in FORMAT_OPTIONS.get(name, {}).items()})
        open_prefix = f"{name}." if name in OPEN_FORMATS else None
    if connector == "datagen":
        known.update(_field_options(table))
    where = f"{table.identifier}, WITH"
    for key, value in table.options:
        option = known.get(key)
        if option is None:
            if open_prefix is not None and key.startswith(open_prefix):
                continue
            raise ProgramError(
                f"connector {connector!r} of table {table.identifier} has no option {key!r}",
                where=where,
                remedy=did_you_mean(key, known),
            )
        try:
            option.check(key, value)
        except ProgramError as fault:
            raise ProgramError(fault.message, where=where, remedy=fault.remedy) from None

    _check_together(table, connector, where)


def _check_together(table: CatalogTable, connector: str, where: str) -> None:
    """Refuse options that contradict each other, and sequences without their ends."""
    both = ("json.ignore-parse-errors", "json.fail-on-missing-field")
    if all((table.option(key) or "").strip().lower() == "true" for key in both):
        raise ProgramError(f"{both[0]} and {both[1]} cannot both be true", where=where, remedy="set one to 'false'")
    if connector != "datagen":
        return
    for key, value in table.options:
        if key.endswith(".kind") and value == "sequence":
            path = key.removesuffix(".kind")
            for end in ("start", "end"):
                if table.option(f"{path}.{end}") is None:
                    raise ProgramError(
                        f"a sequence needs the option {f'{path}.{end}'!r}",
                        where=where,
                        remedy=f"add '{path}.start' and '{path}.end'",
                    )


def _field_options(table: CatalogTable) -> Mapping[str, Option]:
    """The options of `datagen` for each column, and for what is inside rows, arrays, maps and multisets."""
    paths = [path for field in table.row_type().fields for path in _paths(f"fields.{field.name}", field.type)]
    return {f"{path}.{name}": option for path in paths for name, option in _FIELD.items()}


def _paths(path: str, type_: LogicalType) -> Iterator[str]:
    yield path
    match type_:
        case FieldsType():
            for field in type_.fields:
                yield from _paths(f"{path}.{field.name}", field.type)
        case ArrayType() | MultisetType():
            yield from _paths(f"{path}.element", type_.element)
        case MapType():
            yield from _paths(f"{path}.key", type_.key)
            yield from _paths(f"{path}.value", type_.value)
