"""Planning information from a table's connector and format: changelog of sources and sinks, metadata, validity.

Flink looks a connector up when a table is first read or written, not when it is created; so do `source_changelog`,
`sink_changelog` and `check_usable`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.planner.functions.casts import supports_explicit_cast
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.connectors.checks import changelog_of, metadata_of, table_faults
from compiled_plan.plans.connectors.dead_letters import column_faults
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec, Metadata
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.types.changelog import ChangelogMode


@dataclass(frozen=True, slots=True)
class SourceChangelog:
    """The row kinds of a table scan, and if it needs a ChangelogNormalize above it."""

    kinds: ChangelogMode
    normalize: bool = False


def source_changelog(table: CatalogTable, config: TableConfig) -> SourceChangelog:
    """The changelog of reading `table`.

    Raises:
        ProgramError: the table cannot be read, or needs a primary key that it lacks.
    """
    check_usable(table, reading=True)
    kinds = changelog_of(dict(table.options), reading=True) or ChangelogMode.INSERT
    if kinds.insert_only:
        return SourceChangelog(kinds)
    upsert = ChangelogMode.UPDATE_BEFORE not in kinds and ChangelogMode.UPDATE_AFTER in kinds
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


def check_dead_letters(table: CatalogTable) -> None:
    """Raise if a table cannot take dead letters.

    Raises:
        ProgramError: its columns are not those of dead letters, or it cannot be written.
        UnsupportedError: a connector or format that does not run here.
    """
    check_usable(table, reading=False)
    metadata = [item.name for item in metadata_columns(table, writing=True)]
    for fault in column_faults(str(table.identifier), table.physical_row(), metadata):
        raise ProgramError(fault.message, where=str(table.identifier), remedy=fault.remedy)


def can_look_up(table: CatalogTable) -> bool:
    """Return True if the table supports lookups by key.

    Raises:
        UnsupportedError: it does, and an option names a version of the table.
    """
    connector = connector_spec(table.option("connector"))
    if connector is None or connector.lookup is None:
        return False
    check_usable(table, reading=True, lookup=True)
    return True


def check_scan(table: CatalogTable) -> None:
    """Raise if the table supports lookups by key only, and no full scan.

    Raises:
        UnsupportedError: the connector's tables can only be looked up.
    """
    connector = connector_spec(table.option("connector"))
    if connector is not None and connector.lookup is not None and connector.source is None:
        raise UnsupportedError(
            f"table {table.identifier} of connector {connector.name!r} can only be looked up, not read as a whole",
            where=str(table.identifier),
            remedy="join it FOR SYSTEM_TIME AS OF a processing time: FOR SYSTEM_TIME AS OF t.proctime",
        )


def sink_changelog(table: CatalogTable, requested: ChangelogMode = ChangelogMode.ALL) -> ChangelogMode:
    """The changelog that the table's sink accepts for the query's.

    Raises:
        ProgramError: the table cannot be written.
    """
    connector = check_usable(table, reading=False)
    accepted = changelog_of(dict(table.options), reading=False) or ChangelogMode.INSERT
    assert connector.sink is not None
    if connector.sink.by_key and not table.primary_key and not requested.insert_only:
        raise ProgramError(
            f"table {table.identifier} needs a primary key: the query gives it updates or deletes",
            where=str(table.identifier),
            remedy="declare PRIMARY KEY (...) NOT ENFORCED in its CREATE TABLE",
        )
    return accepted & requested if connector.sink.as_sent else accepted


def check_usable(table: CatalogTable, *, reading: bool, lookup: bool = False) -> ConnectorSpec:
    """The connector of a table, validated for reading (with `lookup` by key) or writing.

    Raises:
        ProgramError: no connector, an unknown one, a missing option, or one that cannot be used this way.
        UnsupportedError: a connector, format or option of Flink's that does not run here.
    """
    name, row = str(table.identifier), table.physical_row()
    options = dict(table.options)
    keys = table.partition_keys
    key = table.primary_key
    for fault in table_faults(name, options, row, keys, reading=reading, lookup=lookup, primary_key=key):
        # The connector exists; its use for reading or writing is the fault.
        misused = fault.option == "connector" and connector_spec(options["connector"]) is not None
        where = "" if misused else table.where(fault.option)
        raise (ProgramError if fault.supported else UnsupportedError)(fault.message, where=where, remedy=fault.remedy)
    connector = connector_spec(options["connector"])
    assert connector is not None
    return connector


def metadata_keys(table: CatalogTable) -> tuple[str, ...]:
    """The metadata keys of the table; file connectors offer none of their format's, as in Flink."""
    return tuple(metadata_of(dict(table.options)) or ())


def metadata_columns(table: CatalogTable, *, writing: bool = False) -> list[Column]:
    """The metadata columns in the order and the types of the connector; the last of several for one key.

    Args:
        table: the table.
        writing: return the sink's metadata instead of the source's.
    """
    offered = metadata_of(dict(table.options)) or {}
    columns = {
        column.metadata_key or column.name: column
        for column in table.columns
        if column.kind is ColumnKind.METADATA and not (writing and column.virtual)
    }
    types = {key: item.written if writing else item.type for key, item in offered.items()}
    return [replace(columns[key], type=type_) for key, type_ in types.items() if key in columns and type_ is not None]


def check_metadata(table: CatalogTable, *, reading: bool) -> None:
    """Raise if the table's connector lacks the metadata of a column, or offers it in another type.

    Raises:
        ProgramError: names the column, the key, and the keys that exist.
    """
    known = metadata_of(dict(table.options)) or {}
    for column in table.columns:
        key = column.metadata_key or column.name
        if column.kind is ColumnKind.METADATA and key not in known:
            raise ProgramError(
                f"invalid metadata key {key!r} in column {column.name!r} of table {table.identifier}",
                where=str(table.identifier),
                remedy=f"metadata of this table: {', '.join(known) or 'none'}",
            )
        if column.kind is ColumnKind.METADATA and not (column.virtual and not reading):
            _check_metadata_type(table, column, known[key], reading)


def check_buckets(table: CatalogTable) -> None:
    """Raise for a sink that is distributed into buckets: as in Flink, no connector here writes them.

    Raises:
        ProgramError: the table is distributed.
    """
    if table.distribution is not None:
        raise ProgramError(
            f"table {table.identifier} is {table.distribution}, and connector {table.option('connector')!r} "
            "does not write buckets",
            where=str(table.identifier),
            remedy="ALTER TABLE ... DROP DISTRIBUTION, or leave DISTRIBUTED out",
        )


def _check_metadata_type(table: CatalogTable, column: Column, offered: Metadata, reading: bool) -> None:
    metadata_type = offered.type if reading else offered.written
    if metadata_type is None:
        raise ProgramError(
            f"metadata column {column.name!r} cannot be written by connector {table.option('connector')!r}",
            remedy="declare it VIRTUAL",
        )
    source, target = (metadata_type, column.type) if reading else (column.type, metadata_type)
    if not supports_explicit_cast(source, target):
        raise ProgramError(
            f"metadata column {column.name!r} of table {table.identifier} is {column.type}, "
            f"and the metadata is {metadata_type}",
            where=str(table.identifier),
            remedy=f"declare it as {metadata_type.with_nullability(True)}",
        )
