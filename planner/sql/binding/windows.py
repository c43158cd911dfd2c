"""OVER: window functions and aggregates over windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from compiled_plan.planner.algebra.rex import FrameEnd, FrameUnit, Over
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions import casts
from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.functions.fold import fold
from compiled_plan.planner.functions.registry import is_aggregate
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.arguments import aggregate_name, aggregate_operands
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_value
from compiled_plan.plans.rex import Literal, RexNode, type_of
from compiled_plan.plans.types import (
    DateType,
    IntervalType,
    LogicalType,
    MapType,
    MultisetType,
    RawType,
    TimestampBase,
    TimeType,
)

if TYPE_CHECKING:
    from compiled_plan.planner.catalog.functions import CatalogFunction

#: Functions whose frame is fixed.
_RANKING = frozenset(("ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE"))
#: Functions that have no meaning outside OVER, and need ORDER BY in it.
WINDOW_FUNCTIONS = _RANKING | {"LAG", "LEAD"}


def bind_over(binder: Binder, node: ast.Call, context: Context, user: CatalogFunction | None = None) -> RexNode:
    """A call with OVER, as an `Over` expression; `user` is the user's aggregate function that is called.

    Raises:
        ProgramError: OVER may not stand here or is missing; unknown named window; a wrong frame.
    """
    if node.over is None:
        raise binder.source.error(node, f"{node.name} needs OVER", f"write {node.name}(...) OVER (ORDER BY ...)")
    if not context.over:
        raise binder.source.error(
            node, f"windowed aggregate expression is illegal in {context.clause}", "compute it in a subquery"
        )
    if user is None and not is_aggregate(node.name) and node.name not in WINDOW_FUNCTIONS:
        raise binder.source.error(node, f"{node.name} cannot be used with OVER", "use an aggregate function")
    if node.filter is not None:
        raise binder.source.unsupported(node.filter, "FILTER with OVER", "aggregate CASE WHEN ... THEN ... END")
    check_nulls(binder, node)
    spec = _specification(binder, node.over, context)
    inside = replace(context, over=False, clause=f"the window of {node.name}")
    function, coerced, type_ = _function(binder, node, inside, user)
    partition = tuple(bind(binder, item, inside) for item in spec.partition_by)
    order = tuple(_order_item(binder, item, inside) for item in _ordered(spec))
    if not order and node.name in WINDOW_FUNCTIONS:
        raise binder.source.error(node, f"{node.name} needs ORDER BY in its window", "add ORDER BY")
    unit, lower, upper = _frame(binder, node, spec, bool(order), inside)
    if unit is FrameUnit.RANGE and order:
        _check_range(binder, spec, type_of(order[0][0]), lower, upper)
    return Over(
        function,
        coerced,
        partition,
        order,
        type_,
        unit,
        lower,
        upper,
        node.distinct,
        node.args.get("nulls") == "IGNORE",
    )


def check_nulls(binder: Binder, node: ast.Call) -> None:
    """Refuse IGNORE NULLS and RESPECT NULLS behind a function that takes neither."""
    if node.args.get("nulls") and node.name not in ("LAG", "LEAD", "ARRAY_AGG"):
        raise binder.source.error(node, f"IGNORE NULLS and RESPECT NULLS cannot follow {node.name}", "leave them out")


def _function(
    binder: Binder, node: ast.Call, inside: Context, user: CatalogFunction | None
) -> tuple[str, tuple[RexNode, ...], LogicalType]:
    """The name, the operands and the result's type of the function that is called."""
    if user is not None:
        from compiled_plan.planner.sql.binding.user_functions import user_aggregate

        operands, type_, name = user_aggregate(binder, node, inside, user)
        return name, operands, type_
    given = aggregate_operands(binder, node, inside)
    signature = resolve_aggregate(
        aggregate_name(node), [type_of(operand) for operand in given], distinct=node.distinct, over=True
    )
    coerced = tuple(casts.coerce(rex, type_) for rex, type_ in zip(given, signature.arg_types, strict=True))
    return signature.internal_name, coerced, signature.type


def _specification(binder: Binder, over: exp.Expr, context: Context) -> ast.WindowSpec:
    if isinstance(over, exp.Identifier):
        return _named(binder, over, context)
    assert isinstance(over, ast.WindowSpec)
    base = over.args.get("base")
    if base is None:
        return over
    found = _named(binder, base, context)
    merged = {key: over.args.get(key) or found.args.get(key) for key in ("partition_by", "order", "frame")}
    return ast.WindowSpec(**merged)


def _named(binder: Binder, name: exp.Identifier, context: Context) -> ast.WindowSpec:
    spec = context.windows.get(name.name)
    if spec is None:
        raise binder.source.error(
            name, f"no window is named {name.name!r}", did_you_mean(name.name, context.windows, "add a WINDOW clause")
        )
    return _specification(binder, spec, context)


def _ordered(spec: ast.WindowSpec) -> list[exp.Expr]:
    order = spec.args.get("order")
    return list(order.expressions) if order is not None else []


def _order_item(binder: Binder, node: exp.Expr, context: Context) -> tuple[RexNode, bool, bool]:
    rex = bind_value(binder, node.this, context)
    check_sortable(binder, node, rex)
    return (rex, *directions(node))


def check_sortable(binder: Binder, node: exp.Expr, rex: RexNode) -> None:
    """Refuse to sort by a value without an order.

    Raises:
        ProgramError: the expression is a MAP, a MULTISET or RAW.
    """
    if isinstance(type_of(rex), MapType | MultisetType | RawType):
        remedy = "sort by what a function reads out of it" if isinstance(type_of(rex), RawType) else "sort by its parts"
        raise binder.source.error(node, f"{type_of(rex)} has no order, so it cannot be sorted by", remedy)


def directions(node: exp.Expr) -> tuple[bool, bool]:
    """Of an `exp.Ordered`: whether it ascends, and whether nulls come last (default: they are the least)."""
    descending = bool(node.args.get("desc"))
    first = node.args.get("nulls_first")
    return (not descending, descending if first is None else not first)


def _frame(
    binder: Binder, node: ast.Call, spec: ast.WindowSpec, ordered: bool, context: Context
) -> tuple[FrameUnit, FrameEnd, FrameEnd]:
    unbounded, current = FrameEnd("UNBOUNDED_PRECEDING"), FrameEnd("CURRENT_ROW")
    frame = spec.frame
    if frame is None or node.name in ("LAG", "LEAD"):
        unit = FrameUnit.ROWS if node.name == "ROW_NUMBER" else FrameUnit.RANGE
        if not ordered:
            return unit, unbounded, FrameEnd("UNBOUNDED_FOLLOWING")
        return unit, unbounded, current
    if node.name in _RANKING:
        raise binder.source.error(frame, f"ROWS and RANGE are not allowed with {node.name}", "leave the frame out")
    lower = _bound(binder, frame.start, context)
    upper = current if frame.end is None else _bound(binder, frame.end, context)
    if lower.kind == "UNBOUNDED_FOLLOWING" or upper.kind == "UNBOUNDED_PRECEDING":
        raise binder.source.error(frame, "the frame starts behind its end", "write the lower end first")
    return FrameUnit[frame.unit], lower, upper


def _is_count(rex: Literal) -> bool:
    return isinstance(rex.value, int) and not isinstance(rex.value, bool) and rex.value >= 0


def _check_range(binder: Binder, spec: ast.WindowSpec, order: LogicalType, lower: FrameEnd, upper: FrameEnd) -> None:
    """Refuse RANGE with an offset that cannot be taken from what the rows are ordered by."""
    for bound in (lower, upper):
        if bound.offset is None:
            continue
        offset = type_of(bound.offset)
        if isinstance(offset, IntervalType) is not isinstance(order, TimestampBase | DateType | TimeType):
            raise binder.source.error(
                spec.frame,
                f"data type mismatch between ORDER BY ({order}) and RANGE ({offset})",
                "write an interval, RANGE INTERVAL '1' HOUR PRECEDING, for an order by time",
            )


def _bound(binder: Binder, node: ast.FrameBound, context: Context) -> FrameEnd:
    offset = node.args.get("this")
    rex = None if offset is None else bind(binder, offset, context)
    if rex is not None:
        rex = fold(rex)
        if not isinstance(rex, Literal) or (not isinstance(rex.type, IntervalType) and not _is_count(rex)):
            raise binder.source.error(
                node, "the offset of a frame must be a constant: a number of rows from 0, or an interval"
            )
    return FrameEnd(node.kind.replace(" ", "_"), rex)
