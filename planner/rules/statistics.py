"""STDDEV and VAR in terms of what can be kept incrementally: Welford's sum of squares and a count.

Source: how Flink 2.3's plans have them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.algebra.expressions import case, cast, comparison, null_of
from planner.algebra.nodes import Aggregate, AggregateCall, Project, RelNode, identity, unique_name
from planner.algebra.traverse import rewrite_shared
from plans.rex import Call, InputRef, Literal, RexNode, type_of
from plans.types import BIGINT, DOUBLE, INT, DecimalType, Field, RowType

_SQUARES = "$$WELFORD_M2$1$1"
_COUNT = "$COUNT$1"
_ONE = Literal(1, INT.not_null())


def expand_statistics(rel: RelNode) -> RelNode:
    """The tree without STDDEV and VAR calls."""
    return rewrite_shared(rel, _expand)


def _expand(rel: RelNode) -> RelNode:
    if not isinstance(rel, Aggregate) or not any(call.name in _FORMULAS for call in rel.calls):
        return rel
    count = len(rel.grouping)
    calls: list[AggregateCall] = []

    def place(call: AggregateCall) -> int:
        for at, known in enumerate(calls):
            if replace(known, column=call.column) == call:
                return count + at
        name = unique_name(call.column or f"$f{count + len(calls)}", [item.column for item in calls])
        calls.append(replace(call, column=name))
        return count + len(calls) - 1

    parts: list[tuple[int, ...]] = []
    for call in rel.calls:
        if call.name in _FORMULAS:
            squares = replace(call, name=_SQUARES, type=DOUBLE.with_nullability(True), column=f"$f{count + len(calls)}")
            counted = replace(
                call,
                name=_COUNT,
                type=BIGINT.not_null(),
                syntax="FUNCTION_STAR",
                column=f"$f{count + len(calls) + 1}",
            )
            parts.append((place(squares), place(counted)))
        else:
            parts.append((place(call),))
    own = rel.row_type.fields
    fields = [*own[:count]]
    for call in calls:
        fields.append(Field(unique_name(call.column, [item.name for item in fields]), call.type))
    made = replace(rel, calls=tuple(calls), columns=RowType(fields=tuple(fields)))
    refs = identity(made.row_type)
    exprs: list[RexNode] = list(refs[:count])
    for call, places in zip(rel.calls, parts, strict=True):
        columns = [refs[index] for index in places]
        exprs.append(columns[0] if len(columns) == 1 else _value(call, columns))
    return Project(made, tuple(exprs), rel.columns)


def _value(call: AggregateCall, columns: list[InputRef]) -> RexNode:
    found = _FORMULAS[call.name](*columns)
    return cast(found, call.type.with_nullability(type_of(found).nullable))


def _divided(one: RexNode, other: RexNode) -> RexNode:
    nullable = type_of(one).nullable or type_of(other).nullable
    return Call("$/$1", (one, other), DOUBLE.with_nullability(nullable), "BINARY")


def _less_one(count: RexNode) -> RexNode:
    """The count less one, and NULL for one row, which has no spread."""
    less = Call("$-$1", (count, _ONE), BIGINT.not_null(), "BINARY")
    return case([(comparison("$=$1", count, _ONE), null_of(BIGINT))], less, BIGINT)


def _root(rex: RexNode) -> RexNode:
    half = Literal("0.5", DecimalType(precision=2, scale=1, nullable=False))
    return Call("$POWER$1", (rex, half), type_of(rex))


_FORMULAS: dict[str, Callable[[RexNode, RexNode], RexNode]] = {
    "$VAR_POP$1": _divided,
    "$VAR_SAMP$1": lambda squares, count: _divided(squares, _less_one(count)),
    "$STDDEV_POP$1": lambda squares, count: _root(_divided(squares, count)),
    "$STDDEV_SAMP$1": lambda squares, count: _root(_divided(squares, _less_one(count))),
}
