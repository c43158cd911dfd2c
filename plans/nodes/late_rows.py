"""Tables for late rows: an operator appends the rows that it drops as late to a table. Flink ignores the field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.nodes.model import Int, PlanModel
from compiled_plan.plans.nodes.specs import SortSpec
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.types import BIGINT, INT, STRING, LogicalType, RowType, TimestampLtzType, TimestampType
from compiled_plan.plans.types.temporal import is_rowtime

#: Metadata of a late row, and the types that a column for it may have.
OPERATOR, INPUT, KIND, WATERMARK, BEHIND = "late_operator", "late_input", "late_kind", "late_watermark", "late_by"
METADATA: Mapping[str, tuple[LogicalType, ...]] = {
    OPERATOR: (STRING,),
    INPUT: (INT,),
    KIND: (STRING,),
    WATERMARK: (TimestampType(precision=3), TimestampLtzType(precision=3)),
    BEHIND: (BIGINT,),
}
_FIELD = "late_rows"


class LateTable(PlanModel):
    """The table for the late rows of one input."""

    input: Int
    table: CatalogTable


class LateRowsNode(PlanNode):
    """Base of the operators that drop late rows."""

    late_rows: tuple[LateTable, ...] = ()

    @classmethod
    def field_order(cls) -> list[str]:
        names = [name for name in super().field_order() if name != _FIELD]
        names.insert(names.index("uid"), _FIELD)
        return names

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        """The inputs whose rows may be late, each with the column of its time; None for windows carried by rows.

        Args:
            rows: the rows of the inputs.
        """
        return {}

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return tuple((("lateRows", str(at), "table"), late.table) for at, late in enumerate(self.late_rows))


def late_by_order(order: SortSpec, row: RowType) -> Mapping[int, int | None]:
    """The late rows of an operator with one input that orders its rows, by rowtime or not."""
    column = order.fields[0].index if order.fields else -1
    return {0: column} if 0 <= column < len(row.types) and is_rowtime(row.types[column]) else {}


@dataclass(frozen=True, slots=True)
class LateColumn:
    """The value of a column of a table for late rows: a column of the dropped row, or its metadata."""

    source: int | str


def late_columns(table: RowType, row: RowType) -> tuple[LateColumn, ...]:
    """The values of the columns of a table, which has no faults."""
    return tuple(LateColumn(name if name in METADATA else row.names.index(name)) for name in table.names)


def late_column_faults(table: str, columns: RowType, row: RowType, *, updates: bool = False) -> Iterator[TableFault]:
    """Faults that prevent a table from taking late rows.

    Args:
        table: its name.
        columns: its columns.
        row: the columns of the rows, see `inspection.late_rows.late_row`.
        updates: True if it also receives updates and deletions.
    """
    reason = f"table {table} takes late rows"
    metadata = ", ".join(f"{name} {types[0]}" for name, types in METADATA.items())
    for field in columns.fields:
        name, type_ = field.name, field.type
        if name in METADATA:
            if type_.with_nullability(True) not in METADATA[name] or not type_.nullable:
                expected = " or ".join(map(str, METADATA[name]))
                message = f"{reason}, and column {name!r} is {type_} where they have {expected}"
                yield TableFault(message, f"declare it {METADATA[name][0]}")
            continue
        source = row.field_named(name)
        if source is None:
            message = f"{reason}, and they have no column {name!r}"
            known = ", ".join(f"{item.name} {item.type.as_regular()}" for item in row.fields)
            yield TableFault(message, f"they have: {known}; metadata: {metadata}")
            continue
        regular = source.type.as_regular()
        if regular != type_ and regular.with_nullability(True) != type_:
            message = f"{reason}, and column {name!r} is {type_} where they have {regular}"
            yield TableFault(message, f"declare it {regular.with_nullability(True)}")
    if updates and columns.field_named(KIND) is None:
        message = f"{reason}, which may be updates and deletions, and it has no column for their kind"
        yield TableFault(message, f"declare a column {KIND} {STRING}")


def metadata_column_faults(table: str, names: Sequence[str]) -> Iterator[TableFault]:
    """Faults of metadata columns of a connector, which late rows do not have."""
    for name in names:
        message = f"table {table} takes late rows, and they have no metadata for column {name!r}"
        yield TableFault(message, "leave it out, or make it VIRTUAL")
