"""Schema of a table: columns, types, primary key.

Source: Flink's `ResolvedSchema`, and its text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.columns import (
    ComputedColumn,
    MetadataColumn,
    PhysicalColumn,
    SchemaColumn,
    WatermarkSpec,
)
from compiled_plan.planner.table.constraints import UniqueConstraint
from compiled_plan.plans.types import TimeKind, TimestampBase

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_types import DataType


@dataclass(frozen=True)
class ResolvedSchema:
    """The columns of a table with their types, and its primary key.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> schema = items.get_resolved_schema()
    >>> schema.get_column_names()
    ['item', 'price']
    >>> schema.get_column_data_types()
    [CharType(3, false), IntType(false)]
    """

    columns: tuple[SchemaColumn, ...]
    primary_key: tuple[str, ...] = ()

    def get_column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    def get_column_data_types(self) -> list[DataType]:
        """The types of the columns, in order."""
        return [column.get_data_type() for column in self.columns]

    def get_field_names(self) -> list[str]:
        """The names of the columns, in order; PyFlink's other name."""
        return self.get_column_names()

    def get_field_data_types(self) -> list[DataType]:
        """The types of the columns, in order; PyFlink's other name."""
        return self.get_column_data_types()

    @staticmethod
    def of(columns: Sequence[SchemaColumn]) -> ResolvedSchema:
        """A schema of columns, without watermark and key."""
        return ResolvedSchema(tuple(columns))

    @staticmethod
    def physical(column_names: Sequence[str], column_data_types: Sequence[object]) -> ResolvedSchema:
        """A schema of physical columns."""
        pairs = zip(column_names, column_data_types, strict=True)
        return ResolvedSchema(tuple(SchemaColumn.physical(name, type_) for name, type_ in pairs))

    def get_columns(self) -> list[SchemaColumn]:
        """The columns of all kinds, in order."""
        return list(self.columns)

    def get_column_count(self) -> int:
        """The number of columns of all kinds."""
        return len(self.columns)

    def get_column(self, column_index_or_name: int | str) -> SchemaColumn | None:
        """The column at an index from 0, or of a name; None if there is none."""
        if isinstance(column_index_or_name, int):
            return self.columns[column_index_or_name] if 0 <= column_index_or_name < len(self.columns) else None
        return next((column for column in self.columns if column.name == column_index_or_name), None)

    def get_watermark_specs(self) -> list[WatermarkSpec]:
        """The declared watermark in a list; empty without one."""
        columns = [column for column in self.columns if column.watermark]
        return [WatermarkSpec(column.name, column.watermark or "", column.regular_type) for column in columns]

    def get_primary_key(self) -> UniqueConstraint | None:
        """The primary key; None if there is none."""
        return UniqueConstraint(f"PK_{'_'.join(self.primary_key)}", self.primary_key) if self.primary_key else None

    def get_primary_key_indexes(self) -> list[int]:
        """The indexes of the primary key's columns, from 0."""
        return [self.get_column_names().index(name) for name in self.primary_key]

    def to_source_row_data_type(self) -> DataType:
        """All columns as a row type."""
        return _row_type(self.columns)

    def to_physical_row_data_type(self) -> DataType:
        """The physical columns as a row type."""
        return _row_type([column for column in self.columns if column.is_physical()])

    def to_sink_row_data_type(self) -> DataType:
        """The columns that are written as a row type."""
        return _row_type([column for column in self.columns if column.is_persisted()])

    # --- by the names of PyFlink's `TableSchema`

    def copy(self) -> ResolvedSchema:
        """The same schema, which is immutable."""
        return self

    def get_field_count(self) -> int:
        """The number of columns; PyFlink's other name."""
        return len(self.columns)

    def get_field_data_type(self, field: int | str) -> DataType | None:
        """The type of the column at an index from 0, or of a name; None if there is none."""
        column = self.get_column(field)
        return None if column is None else column.get_data_type()

    def get_field_name(self, field_index: int) -> str | None:
        """The name of the column at an index from 0; None if there is none."""
        column = self.get_column(field_index)
        return None if column is None else column.name

    def to_row_data_type(self) -> DataType:
        """All columns as a row type."""
        return _row_type(self.columns)

    def __str__(self) -> str:
        lines = [column.as_summary_string() for column in self.columns]
        lines += [spec.as_summary_string() for spec in self.get_watermark_specs()]
        key = self.get_primary_key()
        if key is not None:
            lines.append(key.as_summary_string())
        return "(\n  " + ",\n  ".join(lines) + "\n)"


def _row_type(columns: Sequence[SchemaColumn]) -> DataType:
    from compiled_plan.plans.types.conversions.data_types import DataTypes

    return DataTypes.ROW(*(DataTypes.FIELD(column.name, column.regular_type) for column in columns)).not_null()


_KINDS: Mapping[ColumnKind, Callable[..., SchemaColumn]] = {
    ColumnKind.PHYSICAL: PhysicalColumn,
    ColumnKind.COMPUTED: ComputedColumn,
    ColumnKind.METADATA: MetadataColumn,
}


def schema_of(table: PlannedTable) -> ResolvedSchema:
    """The schema of a table; for a catalog table, as declared."""
    declared = table._origin
    if declared is not None:
        return declared_schema(declared.table)
    types = table._rows.rel.row_type.types
    return ResolvedSchema(tuple(PhysicalColumn(column.name, types[column.index]) for column in table._rows.visible))


def declared_schema(declared: CatalogTable) -> ResolvedSchema:
    """The declared schema of a catalog table."""
    watermarks = {item.column: item.sql for item in declared.watermarks}
    columns: list[SchemaColumn] = []
    for column in declared.columns:
        type_ = column.type
        if column.name in watermarks and isinstance(type_, TimestampBase):
            type_ = replace(type_, precision=3, kind=TimeKind.ROWTIME)
        facts = {"sql": column.sql, "metadata_key": column.metadata_key or None, "virtual": column.virtual}
        watermark = watermarks.get(column.name)
        columns.append(_KINDS[column.kind](column.name, type_, comment=column.comment, watermark=watermark, **facts))
    return ResolvedSchema(tuple(columns), declared.primary_key)
