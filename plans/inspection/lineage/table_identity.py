"""Identity of a table: the location of its rows, and the options for reading them.

A filesystem table is identified by its path, whatever its name. With other connectors, the name and all options count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compiled_plan.plans.connectors.checks import format_options, formats_of, replaced_options
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec, FormatSlot
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, digest_of, type_text
from compiled_plan.plans.inspection.lineage.operators import Item, Property, SourceLineage
from compiled_plan.plans.nodes.tables import CatalogTable, PhysicalColumn
from compiled_plan.plans.text.hadoop_paths import at_rest
from compiled_plan.plans.text.masking import is_sensitive, masked, shown_value
from compiled_plan.plans.text.options import Kind

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
#: Returns the properties that identify a table.
TableIdentity = Callable[[CatalogTable], Mapping[str, str]]


def local_place(path: str) -> str:
    """The full name of a path on this machine, resolving relative paths against the working directory."""
    text = at_rest(path)
    return os.path.normpath(Path.cwd() / text) if is_relative(text) else text


def is_relative(path: str) -> bool:
    """Return True if a path is relative."""
    return bool(path) and not path.startswith("/") and not _SCHEME.match(path)


def options_of(table: CatalogTable) -> Mapping[str, str]:
    """The options that rows depend on."""
    options = replaced_options(table.options)
    connector = connector_spec(options.get("connector"))
    return {
        key: value for key, value in sorted(options.items()) if connector is None or _counts(connector, options, key)
    }


def _counts(connector: ConnectorSpec, options: Mapping[str, str], key: str) -> bool:
    """Return True if rows depend on an option; unknown options may be used by a library."""
    known = connector.option(key)
    for option, spec in formats_of(options, connector).items():
        prefix = FormatSlot.prefix(option, spec.name)
        known = known or (spec.option(key.removeprefix(prefix)) if key.startswith(prefix) else None)
    return known is None or known.shapes_rows


def place_of(table: CatalogTable, place: Callable[[str], str]) -> dict[str, str]:
    """Properties that locate the table's rows."""
    options = options_of(table)
    name = options.get("connector", "")
    connector = connector_spec(name)
    if connector is not None and not connector.keeps_rows:
        return {"connector": name}
    if connector is not None and connector.place is not None:
        return {"connector": name} | {
            key: place(options.get(key, "")) if _is_path(connector, key) else options.get(key, "")
            for key in connector.place
        }
    return {"name": table.identifier, **options}


def _is_path(connector: ConnectorSpec, option: str) -> bool:
    spec = connector.option(option)
    return spec is not None and spec.kind is Kind.PATH


def paths_of(table: CatalogTable) -> list[str]:
    """The paths among the options that locate the table's rows."""
    options = options_of(table)
    connector = connector_spec(options.get("connector"))
    place = () if connector is None else connector.place or ()
    return [options[key] for key in place if key in options and connector is not None and _is_path(connector, key)]


def by_place(place: Callable[[str], str]) -> TableIdentity:
    """Identify tables by the location of their rows; `place` resolves a path to its full name."""
    return lambda table: place_of(table, place)


def by_name(table: CatalogTable) -> Mapping[str, str]:
    """Identify tables by name, so that a program over other files has the same operators."""
    return {"name": table.identifier}


def is_persistent(table: CatalogTable) -> bool:
    """Return True if rows written to the table persist."""
    connector = connector_spec(options_of(table).get("connector"))
    return connector is None or connector.keeps_rows


def is_positional(table: CatalogTable) -> bool:
    """Return True if columns are identified by position."""
    options = options_of(table)
    connector = connector_spec(options.get("connector"))
    return connector is not None and any(
        spec.is_positional(format_options(options, spec.name, slot))
        for slot, spec in formats_of(options, connector).items()
    )


def origin_of_table(table: CatalogTable, identity_of: TableIdentity) -> Meaning:
    """Identity of all rows of a table."""
    where = identity_of(table)
    shown = ", ".join(value for key, value in masked(where).items() if key != "connector" and not is_sensitive(key))
    return compose("table", detail=where, text=table.name, full=f"{table.name} of {shown}")


def column_of(table: CatalogTable, columns: Sequence[PhysicalColumn], origin: Meaning, at: int) -> Meaning:
    """The meaning of a stored column, by its position."""
    if at >= len(columns):
        return compose("column", (origin,), at, text=f"{table.name}[{at}]")
    column = columns[at]
    type_ = type_text(column.data_type)
    detail = [column.name, type_, at if is_positional(table) else None]
    name = f"{table.name}.{column.name}"
    return compose(
        "column",
        (origin,),
        detail,
        text=name,
        full=f"{name} {type_} of {origin.full}",
        plain=[column.name, detail[2]],
        type_=column.data_type,
    )


def source_of(nodes: tuple[int, ...], table: CatalogTable, place: Callable[[str], str]) -> SourceLineage:
    """Convert a table to a source."""
    where, options = place_of(table, place), dict(options_of(table))
    options |= {key: value for key, value in where.items() if key in options}
    properties = [Property(key, (_shown(key, value),)) for key, value in options.items()]
    keys = table.resolved_table.partition_keys if table.resolved_table else ()
    properties.append(Property("partition keys", tuple(Item(key, digest_of(key)) for key in keys)))
    return SourceLineage(nodes, table.name, digest_of(where), tuple(properties))


def _shown(key: str, value: str) -> Item:
    return Item(shown_value(key, value), digest_of(value))
