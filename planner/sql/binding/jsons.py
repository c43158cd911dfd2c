"""JSON functions, whose arguments are clauses."""

from __future__ import annotations

from sqlglot import exp

from planner.functions import casts, json
from planner.sql import nodes as ast
from planner.sql.binding.core import Context, Session
from planner.sql.binding.expressions import bind, binds
from planner.sql.binding.types import bind_type
from plans.rex import RexNode
from plans.types import LogicalType


@binds(ast.JsonValue)
def _value(session: Session, node: exp.Expr, context: Context) -> RexNode:
    returning = _returning(session, node)
    return json.json_value(
        bind(session, node.this, context),
        bind(session, node.args["path"], context),
        returning=returning,
        on_empty=_behavior(session, node.args.get("on_empty"), returning, context),
        on_error=_behavior(session, node.args.get("on_error"), returning, context),
    )


@binds(ast.JsonQuery)
def _query(session: Session, node: exp.Expr, context: Context) -> RexNode:
    def words(key: str, default: str) -> str:
        return str(node.args.get(key) or default).replace(" ", "_")

    return json.json_query(
        bind(session, node.this, context),
        bind(session, node.args["path"], context),
        returning=_returning(session, node),
        wrapper=words("wrapper", "WITHOUT_ARRAY"),
        on_empty=words("on_empty", "NULL"),
        on_error=words("on_error", "NULL"),
    )


@binds(ast.JsonExists)
def _exists(session: Session, node: exp.Expr, context: Context) -> RexNode:
    document, path = bind(session, node.this, context), bind(session, node.args["path"], context)
    return json.json_exists(document, path, on_error=node.args.get("on_error"))


@binds(ast.JsonObject)
def _object(session: Session, node: exp.Expr, context: Context) -> RexNode:
    pairs = [
        (bind(session, pair.this, context), bind(session, pair.args["value"], context)) for pair in node.expressions
    ]
    return json.json_object(pairs, absent_on_null=node.args.get("on_null") == "ABSENT")


@binds(ast.JsonArray)
def _array(session: Session, node: exp.Expr, context: Context) -> RexNode:
    items = [bind(session, item, context) for item in node.expressions]
    return json.json_array(items, absent_on_null=node.args.get("on_null") != "NULL")


def _returning(session: Session, node: exp.Expr) -> LogicalType | None:
    spec = node.args.get("returning")
    return None if spec is None else bind_type(spec, session.source)


def _behavior(
    session: Session, clause: exp.Expr | str | None, returning: LogicalType | None, context: Context
) -> json.Behavior | None:
    if clause is None or isinstance(clause, str):
        return None if clause is None else (clause, None)
    rex = bind(session, clause, context)
    return "DEFAULT", rex if returning is None else casts.coerce(rex, returning)
