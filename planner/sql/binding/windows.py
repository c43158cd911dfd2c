"""OVER: window functions and aggregates over windows; arguments of all aggregates."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from compiled_plan.planner.algebra.rex import FrameEnd, FrameUnit, Over
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions import casts
from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.functions.fold import fold
from compiled_plan.planner.functions.registry import is_aggregate, resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_value
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
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
    from compiled_plan.planner.sql.binding import user_functions
else:
    user_functions = deferred("compiled_plan.planner.sql.binding.user_functions")

#: Functions with a fixed frame.
_RANKING = frozenset(("ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE"))
#: Functions that require OVER with ORDER BY.
WINDOW_FUNCTIONS = _RANKING | {"LAG", "LEAD"}


def bind_over(binder: Binder, node: ast.Call, context: Context, user: CatalogFunction | None = None) -> RexNode:
    """A call with OVER, as an `Over` expression; `user` is the called user aggregate function, if any.

    Raises:
        ProgramError: OVER is not allowed here or is missing; unknown named window; a wrong frame.
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
    order = tuple(_order_item(binder, item, inside) for item in (spec.order.keys if spec.order is not None else ()))
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
        node.nulls == "IGNORE",
        binder.source.where(node),
    )


def check_nulls(binder: Binder, node: ast.Call) -> None:
    """Raise for IGNORE NULLS and RESPECT NULLS on a function without them."""
    if node.nulls and node.name not in ("LAG", "LEAD", "ARRAY_AGG"):
        raise binder.source.error(node, f"IGNORE NULLS and RESPECT NULLS cannot follow {node.name}", "leave them out")


def _function(
    binder: Binder, node: ast.Call, inside: Context, user: CatalogFunction | None
) -> tuple[str, tuple[RexNode, ...], LogicalType]:
    """The name, the operands and the result type of the called function."""
    if user is not None:
        operands, type_, name = user_functions.user_aggregate(binder, node, inside, user)
        return name, operands, type_
    unconverted = aggregate_operands(binder, node, inside)
    signature = resolve_aggregate(
        aggregate_name(node), [type_of(operand) for operand in unconverted], distinct=node.distinct, over=True
    )
    coerced = tuple(casts.coerce(rex, type_) for rex, type_ in zip(unconverted, signature.arg_types, strict=True))
    return signature.internal_name, coerced, signature.type


def _specification(binder: Binder, over: ast.WindowSpec | ast.Identifier, context: Context) -> ast.WindowSpec:
    if isinstance(over, ast.Identifier):
        return _named(binder, over, context)
    if over.base is None:
        return over
    base = _named(binder, over.base, context)
    return ast.WindowSpec(
        None, over.partition_by or base.partition_by, over.order or base.order, over.frame or base.frame
    )


def _named(binder: Binder, name: ast.Identifier, context: Context) -> ast.WindowSpec:
    spec = context.windows.get(name.name)
    if spec is None:
        raise binder.source.error(
            name, f"no window is named {name.name!r}", did_you_mean(name.name, context.windows, "add a WINDOW clause")
        )
    return _specification(binder, spec, context)


def _order_item(binder: Binder, node: ast.Ordered, context: Context) -> tuple[RexNode, bool, bool]:
    rex = bind_value(binder, node.operand, context)
    check_sortable(binder, node, rex)
    return (rex, *directions(node))


def check_sortable(binder: Binder, node: ast.Ordered, rex: RexNode) -> None:
    """Raise for a sort key without an order.

    Raises:
        ProgramError: the expression is a MAP, a MULTISET or RAW.
    """
    if isinstance(type_of(rex), MapType | MultisetType | RawType):
        remedy = "sort by what a function reads out of it" if isinstance(type_of(rex), RawType) else "sort by its parts"
        raise binder.source.error(node, f"{type_of(rex)} has no order, so it cannot be sorted by", remedy)


def directions(node: ast.Ordered) -> tuple[bool, bool]:
    """Sort direction: (ascending, nulls last); by default nulls are the lowest values."""
    return (not node.descending, node.descending if node.nulls_first is None else not node.nulls_first)


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
    """Raise for RANGE with an offset that does not fit the type of the sort key."""
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
    rex = None if node.offset is None else bind(binder, node.offset, context)
    if rex is not None:
        rex = fold(rex)
        if not isinstance(rex, Literal) or (not isinstance(rex.type, IntervalType) and not _is_count(rex)):
            raise binder.source.error(
                node, "the offset of a frame must be a constant: a number of rows from 0, or an interval"
            )
    return FrameEnd(node.kind.replace(" ", "_"), rex)


# --- arguments of aggregates and window functions -------------------------------------------------------------------

_JSON = frozenset(("JSON_OBJECTAGG", "JSON_ARRAYAGG"))


def aggregate_operands(binder: Binder, node: ast.Call, context: Context) -> list[RexNode]:
    """The arguments of an aggregate or window function; COUNT(*) has none."""
    arguments = node.arguments
    if len(arguments) == 1 and isinstance(arguments[0], ast.AllColumns) and not arguments[0].parts:
        if node.name != "COUNT":
            raise binder.source.error(arguments[0], f"`*` is an argument of COUNT, not of {node.name}")
        return []
    if node.name == "COUNT" and not arguments:
        raise binder.source.error(node, "COUNT needs an argument", "write COUNT(*)")
    operands = [bind(binder, argument, context) for argument in arguments]
    if node.name == "COUNT" and len(operands) > 1:
        return _counted(binder, node, operands)
    if node.name in _JSON:
        # JSON aggregates merge JSON texts
        operands[-1] = resolve_call("JSON_STRING", operands[-1:])
    if node.name in _CONSTANT and len(operands) > 1:
        _check_constant(binder, node, operands[1])
    return operands


def _counted(binder: Binder, node: ast.Call, operands: list[RexNode]) -> list[RexNode]:
    """The arguments of COUNT that can be NULL; Flink counts over one of them at most."""
    nullable = [rex for rex in operands if type_of(rex).nullable]
    if node.distinct or node.over is not None or len(nullable) > 1:
        remedy = "count where none of them is NULL: COUNT(CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN 1 END)"
        if node.distinct:
            remedy = "count the rows of a subquery: SELECT DISTINCT a, b FROM t WHERE a IS NOT NULL AND b IS NOT NULL"
        raise binder.source.unsupported(node, "COUNT of several columns", remedy)
    return nullable


#: Aggregates with a literal as second argument: its name, and True for a share from 0 to 1.
_CONSTANT = {"LISTAGG": ("separator", False), "PERCENTILE": ("percentage", True)}


def _check_constant(binder: Binder, node: ast.Call, rex: RexNode) -> None:
    argument, share = _CONSTANT[node.name]
    listed = share and isinstance(rex, Call) and rex.name == "$ARRAY$1"
    for item in rex.operands if listed and isinstance(rex, Call) else (rex,):
        if not isinstance(item, Literal) or item.value is None:
            raise binder.source.error(
                node, f"the {argument} of {node.name} must be a literal", "write the value itself"
            )
        if share and not 0 <= Decimal(str(item.value)) <= 1:
            raise binder.source.error(node, f"the {argument} of {node.name} must be from 0.0 to 1.0, not {item.value}")


def aggregate_name(node: ast.Call) -> str:
    """The aggregate's name; JSON aggregates have one for each treatment of nulls."""
    if node.name in _JSON:
        default = "NULL" if node.name == "JSON_OBJECTAGG" else "ABSENT"
        return f"{node.name}_{node.on_null or default}_ON_NULL"
    return node.name
