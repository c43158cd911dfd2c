"""JSON functions with clauses as arguments."""

from __future__ import annotations

from compiled_plan.planner.functions import json
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, binds
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


@binds(ast.JsonValue)
def _value(binder: Binder, node: ast.JsonValue, context: Context) -> RexNode:
    return json.json_value(
        bind(binder, node.operand, context),
        bind(binder, node.path, context),
        returning=_returning(binder, node.returning),
        behaviors=[_behavior(binder, behavior, context) for behavior in node.behaviors],
    )


@binds(ast.JsonQuery)
def _query(binder: Binder, node: ast.JsonQuery, context: Context) -> RexNode:
    def words(clause: str | None, default: str) -> str:
        return (clause or default).replace(" ", "_")

    return json.json_query(
        bind(binder, node.operand, context),
        bind(binder, node.path, context),
        returning=_returning(binder, node.returning),
        wrapper=words(node.wrapper, "WITHOUT_ARRAY"),
        on_empty=words(node.on_empty, "NULL"),
        on_error=words(node.on_error, "NULL"),
    )


@binds(ast.JsonExists)
def _exists(binder: Binder, node: ast.JsonExists, context: Context) -> RexNode:
    document, path = bind(binder, node.operand, context), bind(binder, node.path, context)
    return json.json_exists(document, path, on_error=node.on_error)


@binds(ast.JsonObject)
def _object(binder: Binder, node: ast.JsonObject, context: Context) -> RexNode:
    pairs = [(bind(binder, pair.key, context), bind(binder, pair.value, context)) for pair in node.pairs]
    return json.json_object(pairs, absent_on_null=node.on_null == "ABSENT")


@binds(ast.JsonArray)
def _array(binder: Binder, node: ast.JsonArray, context: Context) -> RexNode:
    items = [bind(binder, item, context) for item in node.items]
    return json.json_array(items, absent_on_null=node.on_null != "NULL")


def _returning(binder: Binder, spec: ast.TypeSpec | None) -> LogicalType | None:
    return None if spec is None else bind_type(spec, binder.source)


def _behavior(binder: Binder, behavior: ast.JsonBehavior, context: Context) -> json.Behavior:
    if isinstance(behavior.value, str):
        return behavior.event, behavior.value, None
    return behavior.event, "DEFAULT", bind(binder, behavior.value, context)
