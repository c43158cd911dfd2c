"""Tables in FROM: the scan, then computed columns, then the watermark."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import substitute
from compiled_plan.planner.algebra.nodes import (
    Hint,
    LateRows,
    Project,
    PushedWatermark,
    RelNode,
    Scan,
    WatermarkAssigner,
)
from compiled_plan.planner.catalog.connectors import check_metadata, check_usable, metadata_columns
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.planner.functions import casts
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.tables import SourceWatermark
from compiled_plan.plans.rex import Call, InputRef, RexNode, type_of, walk
from compiled_plan.plans.types import Field, LogicalType, RowType, TimeKind, TimestampBase


def scan(
    table: CatalogTable,
    alias: str,
    hints: tuple[Hint, ...],
    dead_letters: CatalogTable | None = None,
    late: LateRows | None = None,
) -> RelNode:
    """The rows of a table, in its declared columns.

    Args:
        table: the table, with the options of hints.
        alias: its name in the query.
        hints: of the query.
        dead_letters: the table for unreadable records.
        late: the table for rows that operators drop as late.

    Raises:
        ProgramError: the table's connector or format is missing, unknown or lacks an option.
        UnsupportedError: a connector or format that does not run here.
    """
    connector = check_usable(table, reading=True)
    check_metadata(table, reading=True)
    source = connector.source
    whole = source is not None and not source.projects
    produced = [column for column in table.columns if column.kind is ColumnKind.PHYSICAL]
    produced += metadata_columns(table) if whole else _metadata(table)
    row = RowType(fields=tuple(Field(column.name, column.type, column.comment) for column in produced))
    read = Scan(row, table, alias, hints, dead_letters=dead_letters, late=late)
    rel: RelNode = read
    if [(item.name, item.type) for item in produced] != [(item.name, item.type) for item in table.columns]:
        rel = _declared(rel, table, row)
    for watermark in table.watermarks:
        _refuse_source_watermark(watermark.expression, table)
        index = rel.row_type.names.index(watermark.column)
        timed = _with_rowtime(rel.row_type, index)
        if source is not None and source.watermarks:
            rel = _pushed(rel, read, index, watermark.expression, timed)
        else:
            rel = WatermarkAssigner(rel, index, watermark.expression, timed)
    return rel


def _refuse_source_watermark(watermark: RexNode, table: CatalogTable) -> None:
    """Raise for SOURCE_WATERMARK(): Flink compiles it for a source without its own watermarks, and the job fails."""
    if any(isinstance(part, Call) and part.name == "$SOURCE_WATERMARK$1" for part in walk(watermark)):
        message = f"connector {dict(table.options)['connector']!r} has no watermarks of its own, for SOURCE_WATERMARK()"
        raise ProgramError(message, where=f"{table.identifier}, WATERMARK", remedy=SourceWatermark.REMEDY)


def _metadata(table: CatalogTable) -> list[Column]:
    return [column for column in table.columns if column.kind is ColumnKind.METADATA]


def _pushed(rel: RelNode, read: Scan, index: int, watermark: RexNode, timed: RowType) -> RelNode:
    """The rows of a source that assigns watermarks itself, below a projection that computes the rowtime."""
    if not isinstance(rel, Project):
        pushed = PushedWatermark(watermark, InputRef(index, rel.row_type.types[index]), timed)
        return replace(read, columns=timed, pushed=pushed)
    type_ = timed.types[index]
    own = _to_rowtime(rel.exprs[index], type_)
    rowtime = Call("$REINTERPRET$1", (own,), type_, syntax="SPECIAL")
    exprs = tuple(rowtime if at == index else rex for at, rex in enumerate(rel.exprs))
    inside = tuple(own if at == index else rex for at, rex in enumerate(rel.exprs))
    pushed = PushedWatermark(substitute(watermark, inside), rowtime, read.row_type)
    return Project(replace(read, pushed=pushed), exprs, timed)


def _to_rowtime(rex: RexNode, type_: LogicalType) -> RexNode:
    """Cast a metadata column directly to the type of its column, the rowtime's."""
    cast = isinstance(rex, Call) and rex.name == "$CAST$1" and isinstance(rex.operands[0], InputRef)
    return replace(rex, type=type_) if cast and isinstance(rex, Call) else rex


def _declared(rel: RelNode, table: CatalogTable, row: RowType) -> RelNode:
    """A Project to the declared columns; expressions of computed ones are over the other declared columns."""
    plain = [column for column in table.columns if column.kind is not ColumnKind.COMPUTED]

    def declared(column: Column) -> RexNode:
        index = row.names.index(column.name)
        return as_type(InputRef(index, row.types[index]), column.type)

    def value(column: Column) -> RexNode:
        if column.expression is None:
            return declared(column)
        return substitute(column.expression, tuple(map(declared, plain)))

    exprs = tuple(value(column) for column in table.columns)
    fields = zip(table.columns, exprs, strict=True)
    return Project(rel, exprs, RowType(fields=tuple(Field(column.name, type_of(rex)) for column, rex in fields)))


def as_type(rex: InputRef, type_: LogicalType) -> RexNode:
    """A column cast to another type, even if it only differs in NOT NULL."""
    if rex.type == type_:
        return rex
    converted = casts.cast(rex, type_)
    if converted is rex:
        return Call("$CAST$1", (rex,), type_, syntax="SPECIAL")
    return replace(converted, type=type_) if isinstance(converted, Call) else converted


def _with_rowtime(row: RowType, index: int) -> RowType:
    def field(at: int, item: Field) -> Field:
        if at != index or not isinstance(item.type, TimestampBase):
            return item
        # A rowtime has milliseconds, whatever its column's declared precision.
        type_ = replace(item.type, precision=3, kind=TimeKind.ROWTIME)
        return Field(item.name, type_, item.comment)

    return RowType(fields=tuple(field(at, item) for at, item in enumerate(row.fields)))
