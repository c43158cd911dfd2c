"""Function calls: scalar functions, aggregates, window functions, grouping functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.functions import casts
from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.functions.registry import is_aggregate, is_function, resolve_call, unknown_function
from compiled_plan.planner.functions.temporal import DATE_PARTS
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import AggregateRef, Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, binds, check_equality
from compiled_plan.planner.sql.binding.group_windows import AUXILIARY, GROUP_WINDOWS, bind_group_window
from compiled_plan.planner.sql.binding.windows import (
    WINDOW_FUNCTIONS,
    aggregate_name,
    aggregate_operands,
    bind_over,
    check_nulls,
)
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import BIGINT

if TYPE_CHECKING:
    from compiled_plan.planner.sql.binding import matches, user_functions
else:
    matches = deferred("compiled_plan.planner.sql.binding.matches")
    user_functions = deferred("compiled_plan.planner.sql.binding.user_functions")

GROUPING_FUNCTIONS = frozenset(("GROUPING", "GROUPING_ID"))
#: Callable names that are neither scalar functions nor aggregates.
_OTHERS = frozenset(("GROUP_ID", *GROUPING_FUNCTIONS, *WINDOW_FUNCTIONS, *GROUP_WINDOWS, *AUXILIARY))


@binds(ast.Call)
def _call(binder: Binder, node: ast.Call, context: Context) -> RexNode:
    name = node.name
    if binder.catalog.functions:
        user = user_functions.find_user_function(binder, node, _is_built_in)
        if user is not None:
            if node.over is not None and user.callables.kind is user.callables.kind.AGGREGATE:
                return bind_over(binder, node, context, user)
            return user_functions.bind_user_function(binder, node, context, user)
    if len(node.parts) > 1:
        raise _unknown(binder, node, ".".join(node.names))
    if context.pattern:
        navigation = matches.bind_navigation(binder, node, context)
        if navigation is not None:
            return navigation
    if not _is_built_in(name):
        raise _unknown(binder, node, node.parts[0].name)
    if node.over is not None or name in WINDOW_FUNCTIONS:
        return bind_over(binder, node, context)
    if name in GROUPING_FUNCTIONS or name == "GROUP_ID":
        return _grouping(binder, node, context)
    if is_aggregate(name):
        return bind_aggregate(binder, node, context)
    if name in GROUP_WINDOWS or name in AUXILIARY:
        return bind_group_window(binder, node, context)
    for clause in ("distinct", "filter", "within_group", "order", "nulls"):
        # Flink's parser lets DISTINCT pass in functions such as YEAR, where it means nothing.
        if getattr(node, clause) and not (clause == "distinct" and name in DATE_PARTS):
            raise binder.source.error(node, f"{name} is no aggregate, so {clause.upper()} cannot stand here")
    operands = [bind(binder, argument, context) for argument in node.arguments]
    if name == "NULLIF" and len(operands) == 2:
        check_equality(*operands)
    return resolve_call(name, operands)


def _is_built_in(name: str) -> bool:
    return is_function(name) or is_aggregate(name) or name in _OTHERS


def _unknown(binder: Binder, node: ast.Call, name: str) -> Exception:
    fault = unknown_function(name, [*_OTHERS, *binder.catalog.functions.names()])
    return binder.source.error(node, fault.message, fault.remedy)


def bind_aggregate(binder: Binder, node: ast.Call, context: Context) -> RexNode:
    """An aggregate call, as an `AggregateRef` that the query block turns into a column of its Aggregate.

    Raises:
        ProgramError: aggregates are not allowed here, are nested, or the arguments do not fit.
    """
    if not context.aggregates:
        raise binder.source.error(
            node,
            f"aggregate expression is illegal in {context.clause}",
            "use HAVING" if context.clause == "WHERE clause" else "aggregate in a subquery",
        )
    check_nulls(binder, node)
    if node.within_group is not None or node.order is not None:
        remedy = "leave ORDER BY out: values are taken in the order in which they arrive"
        raise binder.source.unsupported(node, f"ORDER BY inside {node.name}", remedy)
    inside = context.without_aggregates(f"the arguments of {node.name}: aggregates cannot be nested")
    operands = aggregate_operands(binder, node, inside)
    condition = None
    if node.filter is not None:
        condition = bind_condition(binder, node.filter, context.without_aggregates("FILTER clause"))
    signature = resolve_aggregate(
        aggregate_name(node),
        [type_of(operand) for operand in operands],
        distinct=node.distinct,
        group_by_empty=not context.grouped,
        has_filter=condition is not None,
    )
    coerced = tuple(casts.coerce(rex, type_) for rex, type_ in zip(operands, signature.arg_types, strict=True))
    return AggregateRef(
        signature.internal_name,
        coerced,
        signature.type,
        node.distinct,
        condition,
        signature.syntax,
        node.nulls == "IGNORE",
        node.name,
    )


def _grouping(binder: Binder, node: ast.Call, context: Context) -> RexNode:
    if not context.aggregates or not context.grouped:
        raise binder.source.error(node, f"{node.name} needs a GROUP BY in the same query", "add GROUP BY")
    if not node.arguments and node.name != "GROUP_ID":
        raise binder.source.error(node, f"{node.name} needs an argument", "name a grouping column")
    operands = tuple(bind(binder, argument, context.without_aggregates(node.name)) for argument in node.arguments)
    return AggregateRef(f"${node.name}$1", operands, BIGINT.not_null(), sql=node.name)


@binds(ast.NamedArgument)
def _named(binder: Binder, node: ast.NamedArgument, context: Context) -> RexNode:
    raise binder.source.unsupported(
        node, "an argument by name of a built-in function", "pass the arguments by position"
    )


@binds(ast.TableArgument, ast.Descriptor)
def _table_argument(binder: Binder, node: ast.Expression, context: Context) -> RexNode:
    raise binder.source.error(node, "a table is an argument of table functions only", "call it in FROM")
