"""Calls of users' table functions in FROM."""

from __future__ import annotations

from sqlglot import exp

from planner.algebra.nodes import TableFunctionScan
from planner.catalog.functions import CatalogFunction
from planner.sql import nodes as ast
from planner.sql.binding.core import Context, Session
from planner.sql.binding.user_functions import bind_arguments, find_user_function
from planner.sql.binding.window_tables import WINDOW_TABLE_FUNCTIONS
from plans.functions.definitions import FunctionKind
from plans.functions.signature import table_fields
from plans.rex import Call
from plans.types import Field, RowType


def find_table_function(session: Session, node: exp.Expr) -> CatalogFunction | None:
    """The user's function that a call in FROM means; None where it means another, or none.

    Raises:
        ProgramError: it is no table function.
    """
    assert isinstance(node, ast.TableFunction)
    found = find_user_function(session, node.call, lambda name: name in WINDOW_TABLE_FUNCTIONS)
    if found is not None and found.callables.kind is not FunctionKind.TABLE:
        name = node.call.parts[-1].name
        kind = found.callables.kind.value.lower()
        raise session.source.error(node, f"{name} is no table function, but a {kind} function", "call it in SELECT")
    return found


def bind_table_function(
    session: Session, node: ast.Call, context: Context, function: CatalogFunction
) -> TableFunctionScan:
    """The rows of a call.

    Raises:
        ProgramError: the arguments fit no signature.
    """
    from planner.functions.user.resolving import resolve

    operands, named = bind_arguments(session, node, context)
    found = resolve(function, node.names, operands, named)
    row = RowType(fields=tuple(Field(name, part.type) for name, part in table_fields(found.output)), nullable=False)
    return TableFunctionScan(row, Call("", found.operands, row, None, found.extra))
