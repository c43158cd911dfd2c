"""Operators and predicates: arithmetic, comparisons, AND, OR, NOT, IS, LIKE, BETWEEN, IN, ANY and ALL."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_number, binds, call, check_equality
from compiled_plan.planner.sql.binding.subqueries import bind_in, bind_quantified
from compiled_plan.plans.rex import RexNode

_EQUALITIES = ("=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
_PERIOD_PREDICATES = ("CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS", "IMMEDIATELY PRECEDES", "IMMEDIATELY SUCCEEDS")


@binds(ast.Binary)
def _binary(binder: Binder, node: ast.Binary, context: Context) -> RexNode:
    match node.operator:
        case "AND" | "OR":
            return _connective(binder, node, context)
        case "OVERLAPS":
            return call(binder, "OVERLAPS", [*_parts(node.left), *_parts(node.right)], context)
        case operator if operator in _PERIOD_PREDICATES:
            raise binder.source.unsupported(node, f"the period predicate {operator}")
    operands = [bind(binder, operand, context) for operand in (node.left, node.right)]
    if node.operator in _EQUALITIES:
        check_equality(*operands)
    return resolve_call(node.operator, operands)


def _connective(binder: Binder, node: ast.Binary, context: Context) -> RexNode:
    # AND and OR are left-deep and may be long: flattened in a loop into one call with many operands.
    parts: list[ast.Expression] = []
    here: ast.Expression = node
    while isinstance(here, ast.Binary) and here.operator == node.operator:
        parts.append(here.right)
        here = here.left
    parts.append(here)
    inside = replace(context, clause=f"an operand of {node.operator}")
    return resolve_call(node.operator, [bind_condition(binder, part, inside) for part in parts[::-1]])


def _parts(period: ast.Expression) -> tuple[ast.Expression, ...]:
    return period.items if isinstance(period, ast.RowValue) else ()


@binds(ast.Unary)
def _unary(binder: Binder, node: ast.Unary, context: Context) -> RexNode:
    inner = node.operand
    if node.operator != "NOT":
        if node.operator == "-" and isinstance(inner, ast.Constant) and not inner.is_string:
            # Flink's literals are decimals, which have no -0.0.
            is_zero = not inner.text.upper().partition("E")[0].strip("0.")
            return bind_number(binder, node, inner.text if is_zero else f"-{inner.text}")
        return resolve_call(node.operator, [bind(binder, inner, context)])
    match inner:
        case ast.Like():
            return _like_call(binder, inner, f"NOT {inner.kind}", context)
        case ast.Between():
            return _between_call(binder, inner, "NOT ", context)
        case ast.In(query=None):
            return call(binder, "NOT IN", [inner.operand, *inner.items], context)
    return resolve_call("NOT", [bind_condition(binder, inner, replace(context, clause="the operand of NOT"))])


@binds(ast.IsPredicate)
def _is(binder: Binder, node: ast.IsPredicate, context: Context) -> RexNode:
    name = f"IS NOT {node.kind}" if node.negated else f"IS {node.kind}"
    return call(binder, name, [node.operand], context)


@binds(ast.Like)
def _like(binder: Binder, node: ast.Like, context: Context) -> RexNode:
    return _like_call(binder, node, node.kind, context)


def _like_call(binder: Binder, node: ast.Like, name: str, context: Context) -> RexNode:
    operands = [node.operand, node.pattern] + ([node.escape] if node.escape is not None else [])
    return call(binder, name, operands, context)


@binds(ast.Between)
def _between(binder: Binder, node: ast.Between, context: Context) -> RexNode:
    return _between_call(binder, node, "", context)


def _between_call(binder: Binder, node: ast.Between, prefix: str, context: Context) -> RexNode:
    name = prefix + ("BETWEEN SYMMETRIC" if node.symmetric else "BETWEEN")
    return call(binder, name, [node.operand, node.low, node.high], context)


@binds(ast.In)
def _in(binder: Binder, node: ast.In, context: Context) -> RexNode:
    if node.query is not None:
        return bind_in(binder, node, node.query, context)
    return call(binder, "IN", [node.operand, *node.items], context)


@binds(ast.Quantified)
def _quantified(binder: Binder, node: ast.Quantified, context: Context) -> RexNode:
    if node.query is not None:
        return bind_quantified(binder, node, node.query, context)
    left = bind(binder, node.operand, context)
    parts = [resolve_call(node.operator, [left, bind(binder, item, context)]) for item in node.items]
    return parts[0] if len(parts) == 1 else resolve_call("OR" if node.quantifier == "ANY" else "AND", parts)
