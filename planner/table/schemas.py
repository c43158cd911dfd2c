"""Schema of a table: columns, types, primary key.

Source: Flink's `ResolvedSchema`, and its text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.catalog.definitions import column_extras
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.plans.types import LogicalType, TimeKind, TimestampBase


@dataclass(frozen=True)
class SchemaColumn:
    """A column of a schema. `extras` are further clauses of its declaration (AS expression, METADATA)."""

    name: str
    data_type: LogicalType
    extras: str | None = None
    watermark: str | None = None
    comment: str | None = None

    @property
    def regular_type(self) -> LogicalType:
        """The type, without the property of a time attribute."""
        return self.data_type.as_regular() if isinstance(self.data_type, TimestampBase) else self.data_type


@dataclass(frozen=True)
class ResolvedSchema:
    """The columns of a table with their types, and its primary key."""

    columns: tuple[SchemaColumn, ...]
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


def _declared(column: SchemaColumn) -> str:
    comment = "" if column.comment is None else " COMMENT '" + column.comment.replace("'", "''") + "'"
    extras = "" if column.extras is None else f" {column.extras}"
    return f"{summary(column.data_type)}{extras}{comment}"


def schema_of(table: PlannedTable) -> ResolvedSchema:
    """The schema of a table; for a catalog table, as declared."""
    declared = table._origin
    if declared is not None:
        return declared_schema(declared.table)
    types = table._rows.rel.row_type.types
    return ResolvedSchema(tuple(SchemaColumn(column.name, types[column.index]) for column in table._rows.visible))


def declared_schema(declared: CatalogTable) -> ResolvedSchema:
    """The declared schema of a catalog table."""
    watermarks = {item.column: item.sql for item in declared.watermarks}
    columns: list[SchemaColumn] = []
    for column in declared.columns:
        type_ = column.type
        if column.name in watermarks and isinstance(type_, TimestampBase):
            type_ = replace(type_, precision=3, kind=TimeKind.ROWTIME)
        extras = column_extras(column) or None
        columns.append(SchemaColumn(column.name, type_, extras, watermarks.get(column.name), column.comment))
    return ResolvedSchema(tuple(columns), declared.primary_key)
