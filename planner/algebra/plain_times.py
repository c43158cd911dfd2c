"""Conversion of time attributes to plain timestamps: a rowtime is cast, a processing time is read from the clock."""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.planner.algebra.nodes import Project, RelNode
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.plans.rex import Call, RexNode, type_of
from compiled_plan.plans.types import Field, LogicalType, RowType, TimeKind, TimestampBase
from compiled_plan.plans.types.temporal import is_attribute


def plain(rex: RexNode) -> RexNode:
    """The plain value of a time attribute; another expression unchanged."""
    type_ = type_of(rex)
    if not isinstance(type_, TimestampBase) or not type_.is_time_attribute:
        return rex
    if type_.kind is TimeKind.PROCTIME:
        return Call("$PROCTIME_MATERIALIZE$1", (rex,), type_.as_regular())
    return Call("$CAST$1", (rex,), type_.as_regular(), "SPECIAL")


def with_plain_operands(rex: RexNode) -> RexNode:
    """The expression with plain timestamps for time attributes among its calls' operands."""
    children = rex.children()
    if not children:
        return rex
    if isinstance(rex, Call) and rex.name == "$PROCTIME_MATERIALIZE$1":
        return rex
    plain_call = rex.with_children(tuple(plain(with_plain_operands(child)) for child in children))
    if (
        isinstance(plain_call, Call)
        and plain_call.name == "$CAST$1"
        and plain_call.type == type_of(plain_call.operands[0])
    ):
        # A rowtime cast to its own type only became a plain timestamp.
        return plain_call.operands[0]
    return plain_call


def with_plain_columns(rel: RelNode, check: Callable[[LogicalType], bool] = is_attribute) -> RelNode:
    """The rows with plain timestamps for columns whose types pass the check."""
    row = rel.row_type
    if not any(check(type_) for type_ in row.types):
        return rel
    exprs = tuple(plain(rex) if check(rex.type) else rex for rex in identity(row))
    fields = tuple(Field(item.name, type_of(rex), item.comment) for item, rex in zip(row.fields, exprs, strict=True))
    return Project(rel, exprs, RowType(fields=fields))
