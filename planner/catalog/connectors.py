"""What planning asks of a table's connector and format: the changes that it gives and takes, and whether it fits.

Flink looks a connector up when a table is first read or written, not when it is created; so do `source_changelog`,
`sink_changelog` and `check_usable`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.plans.connectors.checks import changelog_of, table_faults
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.types import Field, RowType
from compiled_plan.plans.types.changelog import ChangelogMode

__all__ = ["SourceChangelog", "check_metadata", "check_usable", "sink_changelog", "source_changelog"]


@dataclass(frozen=True, slots=True)
class SourceChangelog:
    """What a scan of a table gives: the kinds of rows, and whether a ChangelogNormalize must stand above it."""

    kinds: ChangelogMode
    normalize: bool = False


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


def can_look_up(table: CatalogTable) -> bool:
    """Whether a lookup join can ask the table for the rows of a key."""
    connector = connector_spec(table.option("connector"))
    return connector is not None and connector.lookup is not None


def check_scan(table: CatalogTable) -> None:
    """Refuse to read a table as a whole that can only be asked by key.

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
    """The changes that writing `table` accepts, given those of the query.

    Raises:
        ProgramError: the table cannot be written.
    """
    connector = check_usable(table, reading=False)
    accepted = changelog_of(dict(table.options), reading=False) or ChangelogMode.INSERT
    # A format takes what it takes; a connector by itself says what it takes of what the query gives.
    return accepted if connector.formats or accepted.insert_only else accepted & requested


def check_usable(table: CatalogTable, *, reading: bool) -> ConnectorSpec:
    """The connector of a table that is about to be read or written.

    Raises:
        ProgramError: no connector, an unknown one, a missing option, or one that cannot be used this way.
        UnsupportedError: a connector, format or option of Flink's that does not run here.
    """
    where = str(table.identifier)
    row = RowType(
        fields=tuple(Field(column.name, column.type) for column in table.columns if column.kind is ColumnKind.PHYSICAL)
    )
    options = dict(table.options)
    for fault in table_faults(where, options, row, table.partition_keys, reading=reading):
        place = f"{where}, WITH, {fault.option!r}" if fault.option else f"{where}, WITH"
        raise (ProgramError if fault.supported else UnsupportedError)(fault.message, where=place, remedy=fault.remedy)
    connector = connector_spec(options["connector"])
    assert connector is not None
    return connector


def metadata_keys(table: CatalogTable) -> tuple[str, ...]:
    """The metadata that the table's connector offers; Flink's files offer none of their format's."""
    connector = connector_spec(table.option("connector"))
    return tuple(connector.metadata) if connector is not None else ()


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
