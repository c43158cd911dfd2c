"""What a table is: where its rows are, and the options by which they are read.

A table of files is its path, whatever its name. Of other connectors the name and all options say what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plans.lineage.meaning import Meaning, digest_of, made_of, type_text
from plans.lineage.operators import Item, Property, Source
from plans.masking import HIDDEN, is_sensitive
from plans.nodes.tables import CatalogTable, PhysicalColumn, ResolvedTable

#: Options that say where a table's rows are, by connector.
_PLACE: Mapping[str, tuple[str, ...]] = {
    "filesystem": ("path",),
    "inline": ("id",),
    "jdbc": ("url", "table-name"),
}
#: Connectors that keep nothing of what is written.
NOWHERE = frozenset({"print", "blackhole", "collect"})
#: Options that change no row: how often folders are looked into, how files are written, how lookups are cached.
_PASSIVE = ("sink.", "lookup.", "compaction.", "auto-compaction", "scan.parallelism", "source.monitor-interval")
_PASSIVE_NAMES = frozenset({"source.report-statistics"})
#: Formats whose columns are found by their position.
_POSITIONAL = frozenset({"csv", "raw"})


def at_rest(path: str) -> str:
    """A path without what does not count: the scheme of local files, a slash at the end."""
    text = path.removeprefix("file://").rstrip("/") if path.startswith(("file:///", "/")) else path.rstrip("/")
    return text.removeprefix("file:") or path


def name_of(table: CatalogTable) -> str:
    """The table's short name."""
    return table.path[-1]


def options_of(table: CatalogTable) -> Mapping[str, str]:
    """The options that count."""
    resolved = table.resolved_table
    found = (resolved.options if resolved else None) or {}
    return {
        key: value
        for key, value in sorted(found.items())
        if not key.startswith(_PASSIVE) and key not in _PASSIVE_NAMES and ".sink." not in key
    }


def place_of(table: CatalogTable, place: Callable[[str], str]) -> dict[str, str]:
    """What says where the table's rows are."""
    options = options_of(table)
    connector = options.get("connector", "")
    if connector in NOWHERE:
        return {"connector": connector}
    if connector in _PLACE:
        return {"connector": connector} | {key: place(options.get(key, "")) for key in _PLACE[connector]}
    return {"name": table.identifier, **options}


def is_positional(table: CatalogTable) -> bool:
    """Whether columns are found by their position."""
    options = options_of(table)
    return options.get("format", options.get("value.format", "")) in _POSITIONAL


def columns_of(table: CatalogTable) -> list[PhysicalColumn]:
    """The columns that the table stores."""
    resolved: ResolvedTable | None = table.resolved_table
    columns = resolved.table_schema.columns if resolved else ()
    return [column for column in columns if isinstance(column, PhysicalColumn)]


def origin_of_table(table: CatalogTable, place: Callable[[str], str]) -> Meaning:
    """All rows of a table."""
    where = place_of(table, place)
    shown = ", ".join(value for key, value in where.items() if key != "connector" and not is_sensitive(key))
    return made_of("table", detail=where, text=name_of(table), full=f"{name_of(table)} of {shown}")


def column_of(table: CatalogTable, origin: Meaning, at: int) -> Meaning:
    """A column that the table stores, by its position among these."""
    columns = columns_of(table)
    if at >= len(columns):
        return made_of("column", (origin,), at, text=f"{name_of(table)}[{at}]")
    column = columns[at]
    type_ = type_text(column.data_type)
    detail = [column.name, type_, at if is_positional(table) else None]
    name = f"{name_of(table)}.{column.name}"
    return made_of("column", (origin,), detail, text=name, full=f"{name} {type_} of {origin.full}")


def source_of(nodes: tuple[int, ...], table: CatalogTable, place: Callable[[str], str]) -> Source:
    """A table as a source."""
    where, options = place_of(table, place), dict(options_of(table))
    options |= {key: value for key, value in where.items() if key in options}
    properties = [Property(key, (_shown(key, value),)) for key, value in options.items()]
    keys = table.resolved_table.partition_keys if table.resolved_table else ()
    properties.append(Property("partition keys", tuple(Item(key, digest_of(key)) for key in keys)))
    return Source(nodes, name_of(table), digest_of(where), tuple(properties))


def _shown(key: str, value: str) -> Item:
    return Item(HIDDEN if is_sensitive(key) else f"'{value}'", digest_of(value))
