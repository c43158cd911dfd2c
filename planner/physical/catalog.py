"""Catalog tables in the form of a plan's scans and sinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Hint
from compiled_plan.planner.algebra.sources import options_of
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.planner.physical.base import make
from compiled_plan.plans.nodes import tables as t
from compiled_plan.plans.types import LogicalType, TimeKind, TimestampBase

_COLUMNS: dict[ColumnKind, Callable[[Column, LogicalType], t.PhysicalColumn | t.ComputedColumn | t.MetadataColumn]] = {
    ColumnKind.PHYSICAL: lambda column, type_: make(t.PhysicalColumn)(
        name=column.name, comment=column.comment, data_type=type_
    ),
    ColumnKind.METADATA: lambda column, type_: make(t.MetadataColumn)(
        name=column.name,
        comment=column.comment,
        data_type=type_,
        metadata_key=column.metadata_key if column.metadata_key != column.name else None,
        is_virtual=column.virtual,
    ),
    ColumnKind.COMPUTED: lambda column, type_: _computed(column),
}


def table_of(table: CatalogTable, hints: Sequence[Hint] = ()) -> t.CatalogTable:
    """A table in the form of plans: schema and options, overridden by OPTIONS hints."""
    rowtimes = {item.column for item in table.watermarks}
    schema = make(t.TableSchema)(
        columns=tuple(_COLUMNS[column.kind](column, _column_type(column, rowtimes)) for column in table.columns),
        watermark_specs=tuple(
            make(t.WatermarkSpec)(
                rowtime_attribute=item.column,
                expression=make(t.ResolvedExpression)(rex_node=item.expression, serializable_string=item.sql),
            )
            for item in table.watermarks
        ),
        primary_key=_primary_key(table),
    )
    resolved = make(t.ResolvedTable)(
        schema=schema,
        comment=table.comment,
        distribution=_distribution(table),
        partition_keys=table.partition_keys,
        options=dict(sorted(options_of(table, hints).items())),
    )
    return make(t.CatalogTable)(identifier=str(table.identifier), resolved_table=resolved)


def path_text(table: CatalogTable) -> str:
    name = table.identifier
    return f"{name.catalog}.{name.database}.{name.name}"


def _column_type(column: Column, rowtimes: set[str]) -> LogicalType:
    if column.name in rowtimes and isinstance(column.type, TimestampBase):
        return replace(column.type, kind=TimeKind.ROWTIME)
    return column.type


def _computed(column: Column) -> t.ComputedColumn:
    assert column.expression is not None
    expression = make(t.ResolvedExpression)(rex_node=column.expression, serializable_string=column.sql)
    return make(t.ComputedColumn)(name=column.name, comment=column.comment, expression=expression)


def _distribution(table: CatalogTable) -> t.TableDistribution | None:
    declared = table.distribution
    if declared is None:
        return None
    return make(t.TableDistribution)(kind=declared.kind, bucket_count=declared.buckets, bucket_keys=declared.columns)


def _primary_key(table: CatalogTable) -> t.PrimaryKey | None:
    if not table.primary_key:
        return None
    name = table.primary_key_name or "PK_" + "_".join(table.primary_key)
    return make(t.PrimaryKey)(name=name, columns=table.primary_key)
