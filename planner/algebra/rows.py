"""Row types: Flink's unique column names, the columns of joins, references to all columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.plans.rex import InputRef, RexNode
from compiled_plan.plans.types import Field, LogicalType, RowType


def join_row_type(left: RowType, right: RowType, kind: JoinKind) -> RowType:
    """Columns of a join: names made unique as Flink does (`id`, `id0`), outer sides made nullable."""
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    nullable_left = kind in (JoinKind.RIGHT, JoinKind.FULL)
    nullable_right = kind in (JoinKind.LEFT, JoinKind.FULL)
    fields = [_as_nullable(item) for item in left.fields] if nullable_left else list(left.fields)
    taken = set(left.names)
    for item in right.fields:
        name = unique_name(item.name, taken)
        taken.add(name)
        field = _as_nullable(item) if nullable_right else item
        fields.append(field if field.name == name else Field(name, field.type, field.comment))
    return RowType(fields=tuple(fields))


def _as_nullable(item: Field) -> Field:
    return item if item.type.nullable else Field(item.name, item.type.with_nullability(True), item.comment)


def unique_name(name: str, taken: Collection[str]) -> str:
    """`name`, made unique by the first free numeric suffix: `id`, `id0`, `id1`."""
    if name not in taken:
        return name
    number = 0
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def named_row(names: Sequence[str], types: Sequence[LogicalType]) -> RowType:
    """A row with these names, made unique as Flink does."""
    taken: dict[str, None] = {}
    for name in names:
        taken[unique_name(name, taken)] = None
    return RowType(fields=tuple(Field(name, type_) for name, type_ in zip(taken, types, strict=True)))


def column_names(exprs: Sequence[RexNode], row: RowType) -> tuple[str, ...]:
    """Names for expressions over a row: the column's name, or `$f` with the position for a computed value."""
    return tuple(row.names[rex.index] if isinstance(rex, InputRef) else f"$f{at}" for at, rex in enumerate(exprs))


def identity(row: RowType) -> tuple[InputRef, ...]:
    """References to all columns of a row, in order."""
    return tuple(InputRef(index, type_) for index, type_ in enumerate(row.types))
