"""Connectors and formats: which exist, what they require, and which changes they produce or accept.

Source: Flink's pages "FileSystem", "DataGen", "Print", "BlackHole", "JSON", "CSV", "Parquet", "ORC", "Avro", "Raw",
"Debezium", "Canal", "Maxwell". Flink looks a
connector up when a table is first read or written, not when it is created; so do `source_changelog`,
`sink_changelog` and `check_usable`.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Flag
from functools import reduce
from operator import or_
from typing import Protocol

from planner.catalog.options import check_options
from planner.catalog.tables import CatalogTable, ColumnKind
from plans.errors import ProgramError, UnsupportedError
from plans.file_columns import unfit_columns
from plans.types import Field, RowType


class Changes(Flag):
    """The kinds of rows in a changelog; the names are those of a plan's `inputChangelogMode`."""

    NONE = 0
    INSERT = 1
    UPDATE_BEFORE = 2
    UPDATE_AFTER = 4
    DELETE = 8
    UPSERT = INSERT | UPDATE_AFTER | DELETE
    ALL = INSERT | UPDATE_BEFORE | UPDATE_AFTER | DELETE

    def names(self) -> list[str]:
        """The kinds in the order in which plans list them."""
        kinds = (Changes.INSERT, Changes.UPDATE_BEFORE, Changes.UPDATE_AFTER, Changes.DELETE)
        return [str(kind.name) for kind in kinds if kind in self]

    @property
    def insert_only(self) -> bool:
        """Whether no row is ever changed or taken back."""
        return self is Changes.INSERT


@dataclass(frozen=True, slots=True)
class SourceChangelog:
    """What a scan of a table gives: the kinds of rows, and whether a ChangelogNormalize must stand above it."""

    kinds: Changes
    normalize: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the changes that it reads and writes, and the metadata columns that it offers."""

    name: str
    reads: Changes = Changes.INSERT
    writes: Changes = Changes.INSERT
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector: its roles, required options, and its changes (None: those of its format).

    `lookup`: a lookup join can ask it for the rows of a key; `scan`: it can be read as a whole.
    """

    name: str
    source: bool = True
    sink: bool = True
    required: tuple[str, ...] = ()
    formatted: bool = False
    reads: Changes = Changes.INSERT
    writes: Changes = Changes.INSERT
    metadata: tuple[str, ...] = ()
    lookup: bool = False
    scan: bool = True


_DEBEZIUM_METADATA = (
    "schema",
    "ingestion-timestamp",
    "source.timestamp",
    "source.database",
    "source.schema",
    "source.table",
    "source.properties",
)

_CANAL_METADATA = ("database", "table", "sql-type", "pk-names", "ingestion-timestamp", "event-timestamp")
_MAXWELL_METADATA = ("database", "table", "primary-key-columns", "ingestion-timestamp")

FORMATS: dict[str, Format] = {
    item.name: item
    for item in (
        Format("json"),
        Format("csv"),
        Format("parquet"),
        Format("orc"),
        Format("avro"),
        Format("raw"),
        Format("debezium-json", Changes.ALL, Changes.ALL, _DEBEZIUM_METADATA),
        Format("canal-json", Changes.ALL, Changes.ALL, _CANAL_METADATA),
        Format("maxwell-json", Changes.ALL, Changes.ALL, _MAXWELL_METADATA),
    )
}

CONNECTORS: dict[str, Connector] = {
    item.name: item
    for item in (
        Connector(
            "filesystem",
            required=("path",),
            formatted=True,
            metadata=("file.path", "file.name", "file.size", "file.modification-time"),
        ),
        Connector("datagen", sink=False),
        Connector("print", source=False, writes=Changes.ALL),
        Connector("blackhole", source=False, writes=Changes.UPSERT),
        Connector("jdbc", sink=False, required=("url", "table-name"), lookup=True, scan=False),
    )
}

#: Connectors of tables that a program has in its hands: its DataFrames, and the rows that it collects.
IN_PROCESS: dict[str, Connector] = {
    item.name: item
    for item in (
        Connector("inline", sink=False, required=("id",)),
        Connector("collect", source=False, required=("id",), writes=Changes.ALL),
    )
}

#: Names that Flink's distribution has and that do not run here; refused as unsupported, not as misspelt.
FLINK_CONNECTORS = frozenset(
    "kafka upsert-kafka kinesis firehose dynamodb elasticsearch-6 elasticsearch-7 elasticsearch-8 opensearch "
    "mongodb hbase-1.4 hbase-2.2 hive hudi iceberg paimon mysql-cdc postgres-cdc oracle-cdc sqlserver-cdc mongodb-cdc "
    "pulsar rabbitmq python-input".split()
)
FLINK_FORMATS = frozenset("avro-confluent debezium-avro-confluent ogg-json protobuf testcsv".split())


class Config(Protocol):
    """What is needed of the session's configuration."""

    def boolean(self, key: str) -> bool:
        """The value of a boolean option, or its default."""
        ...


def source_changelog(table: CatalogTable, config: Config) -> SourceChangelog:
    """The changes that reading `table` gives.

    Raises:
        ProgramError: the table cannot be read, or needs a primary key that it lacks.
    """
    connector = check_usable(table, reading=True)
    kinds = format_of(table, connector).reads if connector.formatted else connector.reads
    if kinds.insert_only:
        return SourceChangelog(kinds)
    upsert = Changes.UPDATE_BEFORE not in kinds and Changes.UPDATE_AFTER in kinds
    duplicates = config.boolean("table.exec.source.cdc-events-duplicate")
    if (upsert or duplicates) and not table.primary_key:
        setting = (
            "it produces updates without the row before"
            if upsert
            else "'table.exec.source.cdc-events-duplicate' is 'true'"
        )
        raise ProgramError(
            f"table {table.identifier} needs a primary key: {setting}",
            where=str(table.identifier),
            remedy="declare PRIMARY KEY (...) NOT ENFORCED in its CREATE TABLE",
        )
    return SourceChangelog(kinds, upsert or duplicates)


def can_look_up(table: CatalogTable) -> bool:
    """Whether a lookup join can ask the table for the rows of a key."""
    connector = CONNECTORS.get(table.option("connector") or "")
    return connector is not None and connector.lookup


def check_scan(table: CatalogTable) -> None:
    """Refuse to read a table as a whole that can only be asked by key.

    Raises:
        UnsupportedError: the connector's tables can only be looked up.
    """
    connector = CONNECTORS.get(table.option("connector") or "")
    if connector is not None and not connector.scan:
        raise UnsupportedError(
            f"table {table.identifier} of connector {connector.name!r} can only be looked up, not read as a whole",
            where=str(table.identifier),
            remedy="join it FOR SYSTEM_TIME AS OF a processing time: FOR SYSTEM_TIME AS OF t.proctime",
        )


def sink_changelog(table: CatalogTable, requested: Changes = Changes.ALL) -> Changes:
    """The changes that writing `table` accepts, given those of the query.

    Raises:
        ProgramError: the table cannot be written.
    """
    connector = check_usable(table, reading=False)
    if connector.formatted:
        return format_of(table, connector).writes
    return connector.writes & requested if connector.writes is not Changes.INSERT else Changes.INSERT


def check_usable(table: CatalogTable, *, reading: bool) -> Connector:
    """The connector of a table that is about to be read or written.

    Raises:
        ProgramError: no connector, an unknown one, a missing option, or one that cannot be used this way.
        UnsupportedError: a connector or format of Flink's that does not run here.
    """
    where = str(table.identifier)
    name = table.option("connector")
    if name is None:
        raise ProgramError(
            f"table {where} has no connector",
            where=f"{where}, WITH",
            remedy=f"add 'connector' = '...', one of: {', '.join(sorted(CONNECTORS))}",
        )
    connector = CONNECTORS.get(name) or IN_PROCESS.get(name)
    if connector is None:
        if name in FLINK_CONNECTORS:
            raise _unsupported("connector", name, where, CONNECTORS)
        raise ProgramError(
            f"no connector is named {name!r}", where=f"{where}, WITH, 'connector'", remedy=_choices(name, CONNECTORS)
        )
    if reading and not connector.source:
        raise ProgramError(
            f"connector {name!r} of table {where} can only be written, not read",
            where=where,
            remedy=f"read from one of: {', '.join(sorted(key for key, item in CONNECTORS.items() if item.source))}",
        )
    if not reading and not connector.sink:
        raise ProgramError(
            f"connector {name!r} of table {where} can only be read, not written",
            where=where,
            remedy=f"write to one of: {', '.join(sorted(key for key, item in CONNECTORS.items() if item.sink))}",
        )
    for option in connector.required:
        if table.option(option) is None:
            raise ProgramError(
                f"table {where} lacks the option {option!r}, which connector {name!r} requires",
                where=f"{where}, WITH",
                remedy=f"add '{option}' = '...'",
            )
    if connector.formatted:
        format_of(table, connector)
    check_options(table, name, formatted=connector.formatted)
    if connector.formatted:
        _check_columns(table, format_of(table, connector).name)
    return connector


def _check_columns(table: CatalogTable, name: str) -> None:
    """Refuse columns that the files of the table's format cannot hold.

    Raises:
        ProgramError: names the format and the column.
    """
    fields = tuple(
        Field(column.name, column.type)
        for column in table.columns
        if column.kind is ColumnKind.PHYSICAL and column.name not in table.partition_keys
    )
    prefix = f"{name}."
    options = {key.removeprefix(prefix): value for key, value in table.options if key.startswith(prefix)}
    found = unfit_columns(name, RowType(fields=fields), options)
    if found is not None:
        raise ProgramError(found.message, where=str(table.identifier), remedy=found.remedy)


def format_of(table: CatalogTable, connector: Connector) -> Format:
    """The format of a table whose connector needs one.

    Raises:
        ProgramError: none given, or unknown.
        UnsupportedError: a format of Flink's that does not run here.
    """
    where = str(table.identifier)
    name = table.option("format")
    if name is None:
        raise ProgramError(
            f"table {where} has no format, which connector {connector.name!r} requires",
            where=f"{where}, WITH",
            remedy=f"add 'format' = '...', one of: {', '.join(sorted(FORMATS))}",
        )
    if name not in FORMATS:
        if name in FLINK_FORMATS:
            raise _unsupported("format", name, where, FORMATS)
        raise ProgramError(
            f"no format is named {name!r}", where=f"{where}, WITH, 'format'", remedy=_choices(name, FORMATS)
        )
    return FORMATS[name]


def metadata_keys(table: CatalogTable) -> tuple[str, ...]:
    """The metadata that the table's connector and format offer (format keys as `value.` too, as Flink writes them)."""
    connector = CONNECTORS.get(table.option("connector") or "")
    if connector is None:
        return ()
    found = FORMATS.get(table.option("format") or "") if connector.formatted else None
    return connector.metadata + (found.metadata if found else ())


def check_metadata(table: CatalogTable) -> None:
    """Refuse metadata columns that the table's connector does not offer.

    Raises:
        ProgramError: names the column, the key, and the keys that exist.
    """
    known = metadata_keys(table)
    for column in table.columns:
        key = column.metadata_key or column.name
        if column.kind is ColumnKind.METADATA and key not in known:
            raise ProgramError(
                f"invalid metadata key {key!r} in column {column.name!r} of table {table.identifier}",
                where=str(table.identifier),
                remedy=f"metadata of this table: {', '.join(known) or 'none'}",
            )


def union(kinds: list[Changes]) -> Changes:
    """The kinds that occur in any of several changelogs."""
    return reduce(or_, kinds, Changes.NONE)


def _unsupported(what: str, name: str, where: str, known: dict[str, Connector] | dict[str, Format]) -> UnsupportedError:
    return UnsupportedError(
        f"{what} {name!r} is not supported",
        where=f"{where}, WITH, '{what}'",
        remedy=f"use one of: {', '.join(sorted(known))}",
    )


def _choices(name: str, known: dict[str, Connector] | dict[str, Format]) -> str:
    close = get_close_matches(name, known, n=1)
    choices = f"one of: {', '.join(sorted(known))}"
    return f"did you mean {close[0]!r}? {choices}" if close else choices
