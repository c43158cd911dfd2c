"""What a table looks like: its schema, and its description as DESCRIBE gives it.

Source: FLIP-155, "describe"; Flink's DESCRIBE and `ResolvedSchema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.algebra.nodes import RelNode
from planner.catalog.tables import CatalogTable
from planner.sql.binding.inserts import summary
from plans.types import LogicalType

if TYPE_CHECKING:
    from planner.table.table import Table

_HEADINGS = ("name", "type", "null", "key", "extras", "watermark")


@dataclass(frozen=True)
class Column:
    """A column of a schema. `extras` is what a declaration says of it (AS expression, METADATA)."""

    name: str
    data_type: LogicalType
    extras: str | None = None
    watermark: str | None = None
    comment: str | None = None


@dataclass(frozen=True)
class ResolvedSchema:
    """The columns of a table with their types, and its primary key."""

    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()

    def get_column_names(self) -> list[str]:
        """The names in order."""
        return [column.name for column in self.columns]

    def get_column_data_types(self) -> list[LogicalType]:
        """The types in order."""
        return [column.data_type for column in self.columns]

    def get_field_names(self) -> list[str]:
        """The names in order."""
        return self.get_column_names()

    def get_field_data_types(self) -> list[LogicalType]:
        """The types in order."""
        return self.get_column_data_types()

    def __str__(self) -> str:
        lines = [f"`{column.name}` {_declared(column)}" for column in self.columns]
        lines += [f"WATERMARK FOR `{column.name}` AS {column.watermark}" for column in self.columns if column.watermark]
        if self.primary_key:
            keys = ", ".join(f"`{name}`" for name in self.primary_key)
            lines.append(f"CONSTRAINT `PK_{'_'.join(self.primary_key)}` PRIMARY KEY ({keys}) NOT ENFORCED")
        return "(\n  " + ",\n  ".join(lines) + "\n)"


def _declared(column: Column) -> str:
    comment = "" if column.comment is None else " COMMENT '" + column.comment.replace("'", "''") + "'"
    extras = "" if column.extras is None else f" {column.extras}"
    return f"{summary(column.data_type)}{extras}{comment}"


@dataclass(frozen=True)
class TableDescription:
    """The rows of DESCRIBE: name, type, null, key, extras, watermark, and comment where there is one."""

    schema: ResolvedSchema

    def collect(self) -> list[tuple[str | bool | None, ...]]:
        """One row a column."""
        commented = any(column.comment for column in self.schema.columns)
        return [self._row(column, commented) for column in self.schema.columns]

    def _row(self, column: Column, commented: bool) -> tuple[str | bool | None, ...]:
        keys = self.schema.primary_key
        key = f"PRI({', '.join(keys)})" if column.name in keys else None
        text = summary(column.data_type).replace(" NOT NULL", "")
        row = (column.name, text, column.data_type.nullable, key, column.extras, column.watermark)
        return (*row, column.comment) if commented else row

    def get_column_names(self) -> list[str]:
        """The headings."""
        return [*_HEADINGS, "comment"][: len(_HEADINGS) + any(column.comment for column in self.schema.columns)]

    def print(self) -> None:
        """Print the table."""
        print(self)

    def __str__(self) -> str:
        rows = [[_shown(cell) for cell in row] for row in self.collect()]
        return _boxed(self.get_column_names(), rows)


def _shown(cell: str | bool | None) -> str:
    return "<NULL>" if cell is None else str(cell).upper() if isinstance(cell, bool) else cell


def _boxed(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(cells: Sequence[str]) -> str:
        return "|" + "|".join(f" {cell:>{width}} " for cell, width in zip(cells, widths, strict=True)) + "|"

    count = f"{len(rows)} row{'' if len(rows) == 1 else 's'} in set"
    return "\n".join([rule, line(headings), rule, *map(line, rows), rule, count])


def schema_of(table: Table) -> ResolvedSchema:
    """The schema of a table; of one of the catalog, with what its declaration says."""
    declared = table._origin
    if declared is not None:
        return declared_schema(declared.table, table._rows.rel)
    types = table._rows.rel.row_type.types
    return ResolvedSchema(tuple(Column(column.name, types[column.index]) for column in table._rows.visible))


def declared_schema(declared: CatalogTable, rel: RelNode | None = None) -> ResolvedSchema:
    """The schema of a table of the catalog; `rel` gives the types that its scan has."""
    types = [column.type for column in declared.columns] if rel is None else list(rel.row_type.types)
    watermarks = {item.column: item.sql for item in declared.watermarks}
    found: list[Column] = []
    for column, type_ in zip(declared.columns, types, strict=True):
        extras = None
        if column.sql:
            extras = f"AS {column.sql}"
        elif column.kind.value == "METADATA":
            key = f" FROM '{column.metadata_key}'" if column.metadata_key else ""
            extras = f"METADATA{key}{' VIRTUAL' if column.virtual else ''}"
        found.append(Column(column.name, type_, extras, watermarks.get(column.name), column.comment))
    return ResolvedSchema(tuple(found), declared.primary_key)
