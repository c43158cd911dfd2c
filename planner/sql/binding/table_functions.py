"""Calls of users' table functions in FROM."""

from __future__ import annotations

from sqlglot import exp

from compiled_plan.planner.algebra.nodes import TableFunctionScan
from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.user_functions import bind_arguments, find_user_function
from compiled_plan.planner.sql.binding.window_tables import WINDOW_TABLE_FUNCTIONS
from compiled_plan.plans.functions.definitions import FunctionKind
from compiled_plan.plans.functions.signature import table_fields
from compiled_plan.plans.rex import Call
from compiled_plan.plans.types import Field, RowType


def find_table_function(binder: Binder, node: exp.Expr) -> CatalogFunction | None:
    """The user's function that a call in FROM means; None where it means another, or none.

    Raises:
        ProgramError: it is no table function.
    """
    assert isinstance(node, ast.TableFunction)
    found = find_user_function(binder, node.call, lambda name: name in WINDOW_TABLE_FUNCTIONS)
    if found is not None and found.callables.kind is not FunctionKind.TABLE:
        name = node.call.parts[-1].name
        kind = found.callables.kind.value.lower()
        raise binder.source.error(node, f"{name} is no table function, but a {kind} function", "call it in SELECT")
    return found


def bind_table_function(
    binder: Binder, node: ast.Call, context: Context, function: CatalogFunction
) -> TableFunctionScan:
    """The rows of a call.

    Raises:
        ProgramError: the arguments fit no signature.
    """
    from compiled_plan.planner.user_functions.resolving import resolve

    operands, named = bind_arguments(binder, node, context)
    found = resolve(function, node.names, operands, named)
    row = RowType(fields=tuple(Field(name, part.type) for name, part in table_fields(found.output)), nullable=False)
    return TableFunctionScan(row, Call("", found.operands, row, None, found.extra))
