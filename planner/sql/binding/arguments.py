"""The arguments of aggregates and window functions."""

from __future__ import annotations

from decimal import Decimal

from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.plans.rex import Call, Literal, RexNode

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
    if node.name in _JSON:
        # the aggregates put together JSON texts, so the value comes as one
        operands[-1] = resolve_call("JSON_STRING", operands[-1:])
    if node.name in _CONSTANT and len(operands) > 1:
        _check_constant(binder, node, operands[1])
    return operands


#: Aggregates whose second argument is a literal: what it is, and whether it is a share from 0 to 1.
_CONSTANT = {"LISTAGG": ("separator", False), "PERCENTILE": ("percentage", True)}


def _check_constant(binder: Binder, node: ast.Call, rex: RexNode) -> None:
    what, share = _CONSTANT[node.name]
    listed = share and isinstance(rex, Call) and rex.name == "$ARRAY$1"
    for item in rex.operands if listed and isinstance(rex, Call) else (rex,):
        if not isinstance(item, Literal) or item.value is None:
            raise binder.source.error(node, f"the {what} of {node.name} must be a literal", "write the value itself")
        if share and not 0 <= Decimal(str(item.value)) <= 1:
            raise binder.source.error(node, f"the {what} of {node.name} must be from 0.0 to 1.0, not {item.value}")


def aggregate_name(node: ast.Call) -> str:
    """The aggregate's name; JSON aggregates have one for each treatment of nulls."""
    on_null = node.args.get("on_null")
    if node.name in _JSON:
        default = "NULL" if node.name == "JSON_OBJECTAGG" else "ABSENT"
        return f"{node.name}_{on_null or default}_ON_NULL"
    return node.name
