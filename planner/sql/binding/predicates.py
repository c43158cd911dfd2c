"""Operators and predicates: arithmetic, comparisons, AND, OR, NOT, IS, LIKE, BETWEEN, IN, ANY and ALL."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_number, binds, call, check_equality
from compiled_plan.planner.sql.binding.subqueries import bind_in, bind_quantified
from compiled_plan.plans.rex import RexNode

_BINARY: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.DPipe: "||",
}


@binds(*_BINARY)
def _operator(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    operands = [bind(binder, operand, context) for operand in (node.this, node.expression)]
    if isinstance(node, exp.EQ | exp.NEQ):
        check_equality(*operands)
    return resolve_call(_BINARY[type(node)], operands)


@binds(exp.And, exp.Or)
def _connective(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    # AND and OR come left-deep and may be long: taken apart in a loop, as one call of many operands.
    parts: list[exp.Expr] = []
    here: exp.Expr = node
    while type(here) is type(node):
        parts.append(here.expression)
        here = here.this
    parts.append(here)
    name = "AND" if isinstance(node, exp.And) else "OR"
    operands = [bind_condition(binder, part, replace(context, clause=f"an operand of {name}")) for part in parts[::-1]]
    return resolve_call(name, operands)


@binds(exp.Not)
def _not(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    inner = node.this
    if isinstance(inner, ast.Like):
        return _like_call(binder, inner, f"NOT {inner.kind}", context)
    if isinstance(inner, exp.Between):
        return _between_call(binder, inner, "NOT ", context)
    if isinstance(inner, exp.In) and inner.args.get("query") is None:
        return call(binder, node, "NOT IN", [inner.this, *inner.expressions], context)
    return resolve_call("NOT", [bind_condition(binder, inner, replace(context, clause="the operand of NOT"))])


@binds(exp.Neg)
def _negative(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return bind_number(binder, node, f"-{node.this.this}")
    return resolve_call("-", [bind(binder, node.this, context)])


@binds(ast.Plus)
def _plus(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return resolve_call("+", [bind(binder, node.this, context)])


@binds(ast.Overlaps)
def _overlaps(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Overlaps)
    if node.kind != "OVERLAPS":
        raise binder.source.unsupported(node, f"the period predicate {node.kind}")
    return call(binder, node, "OVERLAPS", [*node.this.expressions, *node.expression.expressions], context)


@binds(ast.IsPredicate)
def _is(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IsPredicate)
    name = f"IS NOT {node.kind}" if node.negated else f"IS {node.kind}"
    return call(binder, node, name, [node.this], context)


@binds(ast.IsDistinctFrom)
def _is_distinct(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IsDistinctFrom)
    name = "IS NOT DISTINCT FROM" if node.negated else "IS DISTINCT FROM"
    operands = [bind(binder, operand, context) for operand in (node.this, node.expression)]
    check_equality(*operands)
    return resolve_call(name, operands)


@binds(ast.Like)
def _like(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Like)
    return _like_call(binder, node, node.kind, context)


def _like_call(binder: Binder, node: ast.Like, name: str, context: Context) -> RexNode:
    operands = [node.this, node.pattern] + ([node.escape] if node.escape is not None else [])
    return call(binder, node, name, operands, context)


@binds(exp.Between)
def _between(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return _between_call(binder, node, "", context)


def _between_call(binder: Binder, node: exp.Expr, prefix: str, context: Context) -> RexNode:
    name = prefix + ("BETWEEN SYMMETRIC" if node.args.get("symmetric") else "BETWEEN")
    return call(binder, node, name, [node.this, node.args["low"], node.args["high"]], context)


@binds(exp.In)
def _in(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    if node.args.get("query") is not None:
        return bind_in(binder, node, node.args["query"], context)
    return call(binder, node, "IN", [node.this, *node.expressions], context)


@binds(ast.Quantified)
def _quantified(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Quantified)
    if node.query is not None:
        return bind_quantified(binder, node, context)
    left = bind(binder, node.this, context)
    parts = [resolve_call(node.op, [left, bind(binder, item, context)]) for item in node.expressions]
    return parts[0] if len(parts) == 1 else resolve_call("OR" if node.quantifier == "ANY" else "AND", parts)
