"""Tables in FROM: the scan, the computed columns above it, the watermark above those."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Hint, Project, RelNode, Scan, WatermarkAssigner
from compiled_plan.planner.catalog.connectors import check_metadata, check_usable
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.plans.rex import InputRef, RexNode, map_inputs, type_of
from compiled_plan.plans.types import Field, RowType, TimeKind, TimestampBase


def scan(table: CatalogTable, alias: str, hints: tuple[Hint, ...]) -> RelNode:
    """The rows of a table, in its declared columns.

    Raises:
        ProgramError: the table's connector or format is missing, unknown or lacks an option.
        UnsupportedError: a connector or format that does not run here.
    """
    check_usable(table, reading=True)
    check_metadata(table)
    physical = [column for column in table.columns if column.kind is ColumnKind.PHYSICAL]
    metadata = [column for column in table.columns if column.kind is ColumnKind.METADATA]
    produced = [*physical, *metadata]
    row = RowType(fields=tuple(Field(column.name, column.type, column.comment) for column in produced))
    rel: RelNode = Scan(row, table, alias, hints)
    if [column.name for column in produced] != [column.name for column in table.columns]:
        rel = _declared(rel, table, [column.name for column in produced])
    for watermark in table.watermarks:
        index = rel.row_type.names.index(watermark.column)
        rel = WatermarkAssigner(rel, index, watermark.expression, _with_rowtime(rel.row_type, index))
    return rel


def _declared(rel: RelNode, table: CatalogTable, produced: list[str]) -> RelNode:
    """A Project to the declared columns; expressions of computed ones are over the others as declared."""
    plain = [column.name for column in table.columns if column.kind is not ColumnKind.COMPUTED]

    def value(column: Column) -> RexNode:
        if column.expression is None:
            return InputRef(produced.index(column.name), column.type)
        return map_inputs(column.expression, lambda index: produced.index(plain[index]))

    exprs = tuple(value(column) for column in table.columns)
    fields = zip(table.columns, exprs, strict=True)
    return Project(rel, exprs, RowType(fields=tuple(Field(column.name, type_of(rex)) for column, rex in fields)))


def _with_rowtime(row: RowType, index: int) -> RowType:
    def field(at: int, item: Field) -> Field:
        if at != index or not isinstance(item.type, TimestampBase):
            return item
        # A rowtime has milliseconds, whatever its column was declared with.
        type_ = replace(item.type, precision=3, kind=TimeKind.ROWTIME)
        return Field(item.name, type_, item.comment)

    return RowType(fields=tuple(field(at, item) for at, item in enumerate(row.fields)))
