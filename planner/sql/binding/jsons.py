"""JSON functions, whose arguments are clauses."""

from __future__ import annotations

from sqlglot import exp

from compiled_plan.planner.functions import json
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, binds
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


@binds(ast.JsonValue)
def _value(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return json.json_value(
        bind(binder, node.this, context),
        bind(binder, node.args["path"], context),
        returning=_returning(binder, node),
        on_empty=_behavior(binder, node.args.get("on_empty"), context),
        on_error=_behavior(binder, node.args.get("on_error"), context),
    )


@binds(ast.JsonQuery)
def _query(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    def words(key: str, default: str) -> str:
        return str(node.args.get(key) or default).replace(" ", "_")

    return json.json_query(
        bind(binder, node.this, context),
        bind(binder, node.args["path"], context),
        returning=_returning(binder, node),
        wrapper=words("wrapper", "WITHOUT_ARRAY"),
        on_empty=words("on_empty", "NULL"),
        on_error=words("on_error", "NULL"),
    )


@binds(ast.JsonExists)
def _exists(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    document, path = bind(binder, node.this, context), bind(binder, node.args["path"], context)
    return json.json_exists(document, path, on_error=node.args.get("on_error"))


@binds(ast.JsonObject)
def _object(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    pairs = [(bind(binder, pair.this, context), bind(binder, pair.args["value"], context)) for pair in node.expressions]
    return json.json_object(pairs, absent_on_null=node.args.get("on_null") == "ABSENT")


@binds(ast.JsonArray)
def _array(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    items = [bind(binder, item, context) for item in node.expressions]
    return json.json_array(items, absent_on_null=node.args.get("on_null") != "NULL")


def _returning(binder: Binder, node: exp.Expr) -> LogicalType | None:
    spec = node.args.get("returning")
    return None if spec is None else bind_type(spec, binder.source)


def _behavior(binder: Binder, clause: exp.Expr | str | None, context: Context) -> json.Behavior | None:
    if clause is None or isinstance(clause, str):
        return None if clause is None else (clause, None)
    return "DEFAULT", bind(binder, clause, context)
