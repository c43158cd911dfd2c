"""Subqueries in expressions: scalar, EXISTS, IN, ANY and ALL."""

from __future__ import annotations

from compiled_plan.planner.algebra.rex import Subquery, SubqueryKind
from compiled_plan.planner.functions import casts
from compiled_plan.planner.functions.operators import row_parts
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context
from compiled_plan.planner.sql.binding.expressions import bind, binds, check_equality
from compiled_plan.plans.rex import InputRef, Literal, RexNode, type_of
from compiled_plan.plans.types import BOOLEAN, FieldsType

_INVERSE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@binds(ast.Subquery, ast.Select, ast.SetOperation, ast.Values)
def _scalar(binder: Binder, node: ast.QueryNode, context: Context) -> RexNode:
    """A query as a value: one column, NULL if it has no row."""
    query = binder.bind_query(binder, node, context.inside())
    if len(query.names) != 1:
        raise binder.source.error(
            node, f"a query used as a value must have one column, this one has {len(query.names)}"
        )
    type_ = query.types[0].with_nullability(True)
    return Subquery(SubqueryKind.SCALAR, query.rel, type_, context.scope.correlation)


@binds(ast.Exists)
def _exists(binder: Binder, node: ast.Exists, context: Context) -> RexNode:
    query = binder.bind_query(binder, node.query, context.inside())
    return Subquery(SubqueryKind.EXISTS, query.rel, BOOLEAN.not_null(), context.scope.correlation)


def bind_in(binder: Binder, node: ast.In, query: ast.QueryNode, context: Context) -> RexNode:
    """`x IN (query)`, `(x, y) IN (query)`."""
    return _compare(binder, node, query, "=", SubqueryKind.IN, context)


def bind_quantified(binder: Binder, node: ast.Quantified, query: ast.QueryNode, context: Context) -> RexNode:
    """`x op ANY (query)`, `x op ALL (query)`; ALL is NOT (x inverse-op ANY)."""
    operator = node.operator if node.quantifier == "ANY" else _INVERSE[node.operator]
    kind = SubqueryKind.IN if operator == "=" else SubqueryKind.SOME
    compared = _compare(binder, node, query, operator, kind, context)
    return compared if node.quantifier == "ANY" else resolve_call("NOT", [compared])


def _compare(
    binder: Binder,
    node: ast.In | ast.Quantified,
    query: ast.QueryNode,
    operator: str,
    kind: SubqueryKind,
    context: Context,
) -> RexNode:
    left = node.operand.items if isinstance(node.operand, ast.RowValue) else (node.operand,)
    operands = tuple(bind(binder, item, context) for item in left)
    operands = row_parts(operands[0]) or operands if len(operands) == 1 else operands
    bound = binder.bind_query(binder, query, context.inside())
    if len(operands) != len(bound.names):
        raise binder.source.error(
            node,
            f"{len(operands)} value(s) are compared with a query of {len(bound.names)} column(s)",
            "select as many columns as there are values on the left",
        )
    operands = tuple(_comparable(binder, node, operator, item, at, bound) for at, item in enumerate(operands))
    nullable = any(type_of(item).nullable for item in operands) or any(type_.nullable for type_ in bound.types)
    name = f"${operator}$1"
    type_ = BOOLEAN.with_nullability(nullable)
    return Subquery(kind, bound.rel, type_, context.scope.correlation, operands, name)


def _comparable(binder: Binder, node: ast.Node, operator: str, rex: RexNode, at: int, bound: Bound) -> RexNode:
    """`rex`, type-checked by a comparison with column `at` of the query."""
    column = bound.types[at]
    if isinstance(type_of(rex), FieldsType) or isinstance(column, FieldsType):
        raise binder.source.error(
            node,
            f"values passed to IN must have compatible types, and {type_of(rex)} and {column} are not",
            "compare the fields: (r.a, r.b) IN (SELECT q.a, q.b ...)",
        )
    if isinstance(rex, Literal) and rex.value is None and rex.symbol is None:
        return casts.cast(rex, column)
    with binder.source.at(node):
        if operator in ("=", "<>"):
            check_equality(rex, InputRef(0, column))
        resolve_call(operator, [rex, InputRef(0, column)])
    return rex
