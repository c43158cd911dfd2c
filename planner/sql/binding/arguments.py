"""The arguments of aggregates and window functions."""

from __future__ import annotations

from planner.functions.registry import resolve_call
from planner.sql import nodes as ast
from planner.sql.binding.core import Context, Session
from planner.sql.binding.expressions import bind
from plans.rex import RexNode

_JSON = frozenset(("JSON_OBJECTAGG", "JSON_ARRAYAGG"))


def aggregate_operands(session: Session, node: ast.Call, context: Context) -> list[RexNode]:
    """The arguments of an aggregate or window function; COUNT(*) has none."""
    arguments = node.arguments
    if len(arguments) == 1 and isinstance(arguments[0], ast.AllColumns) and not arguments[0].parts:
        if node.name != "COUNT":
            raise session.source.error(arguments[0], f"`*` is an argument of COUNT, not of {node.name}")
        return []
    if node.name == "COUNT" and not arguments:
        raise session.source.error(node, "COUNT needs an argument", "write COUNT(*)")
    operands = [bind(session, argument, context) for argument in arguments]
    if node.name in _JSON:
        # the aggregates put together JSON texts, so the value comes as one
        operands[-1] = resolve_call("JSON_STRING", operands[-1:])
    return operands


def aggregate_name(node: ast.Call) -> str:
    """The aggregate's name; JSON aggregates have one for each treatment of nulls."""
    on_null = node.args.get("on_null")
    if node.name in _JSON:
        default = "NULL" if node.name == "JSON_OBJECTAGG" else "ABSENT"
        return f"{node.name}_{on_null or default}_ON_NULL"
    return node.name
