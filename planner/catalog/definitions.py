"""CREATE statements of tables, views and catalogs, for SHOW CREATE.

Source: the output of SHOW CREATE TABLE, SHOW CREATE VIEW and SHOW CREATE CATALOG in Flink 2.3. The query of a view is
as written in the program; Flink qualifies its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from compiled_plan.planner.catalog.in_memory import InMemoryCatalog
from compiled_plan.planner.catalog.models import CatalogModel
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, Column, ColumnKind
from compiled_plan.plans.text.masking import masked
from compiled_plan.plans.types import quote_identifier, quote_string


def table_definition(table: CatalogTable) -> str:
    """The CREATE TABLE statement of a table; secrets in its options are masked."""
    lines = [_column(column) for column in table.columns]
    for watermark in table.watermarks:
        lines.append(f"WATERMARK FOR {quote_identifier(watermark.column)} AS {watermark.sql}")
    if table.primary_key:
        name, key = quote_identifier(table.primary_key_name), _names(table.primary_key)
        lines.append(f"CONSTRAINT {name} PRIMARY KEY ({key}) NOT ENFORCED")
    materialized = table.materialized
    kind = f"{_temporary(table.temporary)}TABLE" if materialized is None else "MATERIALIZED TABLE"
    parts = [f"CREATE {kind} {table.identifier} {_block(lines)}"]
    parts += _comment(table.comment)
    if table.distribution is not None:
        parts.append(str(table.distribution))
    if table.partition_keys:
        parts.append(f"PARTITIONED BY ({_names(table.partition_keys)})")
    parts += _options(dict(table.options))
    if materialized is not None:
        parts += ["START_MODE = FROM_BEGINNING", f"FRESHNESS = {_interval(materialized.freshness_ms)}"]
        parts += ["REFRESH_MODE = CONTINUOUS", f"AS {materialized.sql}"]
    return "\n".join(parts) + "\n"


def view_definition(view: CatalogView, columns: Iterable[str]) -> str:
    """The CREATE VIEW statement of a view with these columns."""
    head = f"CREATE {_temporary(view.temporary)}VIEW {view.identifier} {_block(map(quote_identifier, columns))}"
    return "\n".join([head, *_comment(view.comment), f"AS {view.sql}"]) + "\n"


def catalog_definition(name: str, catalog: InMemoryCatalog) -> str:
    """The CREATE CATALOG statement of a catalog."""
    parts = [f"CREATE CATALOG {quote_identifier(name)}", *_comment(catalog.comment), *_options(catalog.options)]
    return "\n".join(parts) + "\n"


def model_definition(model: CatalogModel) -> str:
    """The CREATE MODEL statement of a model."""
    parts = [f"CREATE {_temporary(model.temporary)}MODEL {model.identifier}"]
    if model.inputs:
        for word, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
            parts.append(f"{word} ({', '.join(map(_column, columns))})")
    return "\n".join([*parts, *_comment(model.comment), *_options(model.options)]) + "\n"


def column_extras(column: Column) -> str:
    """The clauses of a computed or metadata column behind its name or type; empty for a physical one."""
    if column.kind is ColumnKind.COMPUTED:
        return f"AS {column.sql}"
    if column.kind is ColumnKind.METADATA:
        return metadata_clause(column.metadata_key or None, column.virtual)
    return ""


def metadata_clause(key: str | None, is_virtual: bool) -> str:
    """The clause of a metadata column; None is the key that is the column's name."""
    source = "" if key is None else f" FROM {quote_string(key)}"
    return f"METADATA{source}{' VIRTUAL' if is_virtual else ''}"


def _interval(milliseconds: int) -> str:
    for size, unit in ((86_400_000, "DAY"), (3_600_000, "HOUR"), (60_000, "MINUTE")):
        if milliseconds % size == 0:
            return f"INTERVAL '{milliseconds // size}' {unit}"
    return f"INTERVAL '{milliseconds // 1000}' SECOND"


def _column(column: Column) -> str:
    type_ = "" if column.kind is ColumnKind.COMPUTED else str(column.type)
    comment = "" if column.comment is None else f"COMMENT {quote_string(column.comment)}"
    return " ".join(part for part in (quote_identifier(column.name), type_, column_extras(column), comment) if part)


def _block(lines: Iterable[str]) -> str:
    return "(\n  " + ",\n  ".join(lines) + "\n)"


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(quote_identifier, names))


def _temporary(temporary: bool) -> str:
    return "TEMPORARY " if temporary else ""


def _comment(comment: str | None) -> list[str]:
    return [f"COMMENT {quote_string(comment)}"] if comment else []


def _options(options: Mapping[str, str]) -> list[str]:
    if not options:
        return []
    shown = sorted(masked(options).items())
    return [f"WITH {_block(f'{quote_string(key)} = {quote_string(value)}' for key, value in shown)}"]
