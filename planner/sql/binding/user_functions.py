"""Calls of user functions in SQL, as values and in FROM."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from compiled_plan.planner.algebra.nodes import FunctionName, TableFunctionScan
from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import AggregateRef, Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition
from compiled_plan.planner.sql.binding.window_tables import WINDOW_TABLE_FUNCTIONS
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.functions.definitions import FunctionKind
from compiled_plan.plans.functions.signature import table_fields
from compiled_plan.plans.nodes.process_table_function import INSTEAD
from compiled_plan.plans.rex import Call, RexNode
from compiled_plan.plans.types import Field, LogicalType, RowType

if TYPE_CHECKING:
    from compiled_plan.planner.user_functions import resolving
else:
    resolving = deferred("compiled_plan.planner.user_functions.resolving")


def find_user_function(binder: Binder, node: ast.Call, built_in: Callable[[str], bool]) -> CatalogFunction | None:
    """The user function of a call; None if the call resolves to another function, or to none."""
    functions = binder.catalog.functions
    if not functions:
        return None
    qualified = len(node.parts) > 1
    name = binder.catalog.qualify(node.names)
    return functions.find(name, qualified=qualified, built_in=not qualified and built_in(node.name))


def bind_user_function(binder: Binder, node: ast.Call, context: Context, function: CatalogFunction) -> RexNode:
    """A call of a user's scalar or aggregate function.

    Raises:
        ProgramError: the arguments fit no signature, or the function is not allowed here.
    """
    kind = function.callables.kind
    if kind is FunctionKind.TABLE:
        raise binder.source.error(
            node,
            f"{node.parts[-1].name} is a table function, which gives rows and no value",
            f"call it in FROM: LATERAL TABLE({node.parts[-1].name}(...))",
        )
    if kind is FunctionKind.AGGREGATE:
        return _aggregate(binder, node, context, function)
    for clause in ("distinct", "filter", "within_group", "order", "nulls", "over"):
        if getattr(node, clause):
            raise binder.source.error(
                node, f"{node.parts[-1].name} is no aggregate, so {clause.upper()} cannot stand here"
            )
    operands, named = bind_arguments(binder, node, context)
    resolved = resolving.resolve(function, node.names, operands, named)
    return Call("", resolved.operands, resolved.type, None, resolved.extra)


def bind_arguments(binder: Binder, node: ast.Call, context: Context) -> tuple[list[RexNode], list[str | None]]:
    """The arguments of a call, with their names if passed by name.

    Raises:
        ProgramError: positional and named arguments are mixed.
    """
    arguments: list[ast.Expression] = []
    named: list[str | None] = []
    for argument in node.arguments:
        if isinstance(argument, ast.NamedArgument):
            named.append(argument.name)
            arguments.append(argument.value)
        else:
            named.append(None)
            arguments.append(argument)
    table = next((argument for argument in arguments if isinstance(argument, ast.TableArgument)), None)
    if table is not None:
        raise binder.source.error(
            table,
            f"{node.parts[-1].name} takes a table, as a process table function, and cannot run here",
            INSTEAD,
        )
    if any(named) and not all(named):
        raise binder.source.error(node, "some arguments have names and some have not", "name all, or none")
    return [bind(binder, argument, context) for argument in arguments], named


def _aggregate(binder: Binder, node: ast.Call, context: Context, function: CatalogFunction) -> RexNode:
    name = node.parts[-1].name
    if not context.aggregates:
        raise binder.source.error(
            node,
            f"aggregate expression is illegal in {context.clause}",
            "use HAVING" if context.clause == "WHERE clause" else "aggregate in a subquery",
        )
    for clause in ("within_group", "order", "nulls"):
        if getattr(node, clause):
            raise binder.source.unsupported(node, f"{clause.upper().replace('_', ' ')} in a call of {name}")
    inside = context.without_aggregates(f"the arguments of {name}: aggregates cannot be nested")
    operands, type_, known = user_aggregate(binder, node, inside, function)
    condition = None
    if node.filter is not None:
        condition = bind_condition(binder, node.filter, context.without_aggregates("FILTER clause"))
    return AggregateRef(known, operands, type_, node.distinct, condition, None, False, name)


def user_aggregate(
    binder: Binder, node: ast.Call, inside: Context, function: CatalogFunction
) -> tuple[tuple[RexNode, ...], LogicalType, FunctionName]:
    """The operands, the type and the name of an aggregate function's call.

    Raises:
        ProgramError: the arguments fit no signature.
    """
    operands, named = bind_arguments(binder, node, inside)
    resolved = resolving.resolve(function, node.names, operands, named)
    return resolved.operands, resolved.type, FunctionName(node.parts[-1].name, resolved.extra)


# --- in FROM --------------------------------------------------------------------------------------------------------


def find_table_function(binder: Binder, node: ast.TableFunction) -> CatalogFunction | None:
    """The user function of a call in FROM; None if the call resolves to another function, or to none.

    Raises:
        ProgramError: it is no table function.
    """
    function = find_user_function(binder, node.call, lambda name: name in WINDOW_TABLE_FUNCTIONS)
    if function is not None and function.callables.kind is not FunctionKind.TABLE:
        name = node.call.parts[-1].name
        kind = function.callables.kind.value.lower()
        raise binder.source.error(node, f"{name} is no table function, but a {kind} function", "call it in SELECT")
    return function


def bind_table_function(
    binder: Binder, node: ast.Call, context: Context, function: CatalogFunction
) -> TableFunctionScan:
    """The rows of a table function's call.

    Raises:
        ProgramError: the arguments fit no signature.
    """
    operands, named = bind_arguments(binder, node, context)
    resolved = resolving.resolve(function, node.names, operands, named)
    row = RowType(fields=tuple(Field(name, part.type) for name, part in table_fields(resolved.output)), nullable=False)
    return TableFunctionScan(row, Call("", resolved.operands, row, None, resolved.extra))
