"""Names, literals and what is made of values: CASE, CAST, rows, arrays, maps, their items and fields."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_number, binds, call, check_equality
from compiled_plan.planner.sql.binding.scopes import field_of, resolve
from compiled_plan.planner.sql.binding.types import bind_type, qualifier_text
from compiled_plan.plans.rex import FieldAccess, Literal, RexNode, type_of
from compiled_plan.plans.types import BOOLEAN, FieldsType


@binds(ast.ColumnRef)
def _column(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.ColumnRef)
    return resolve(node.parts, context.scope, binder.source, node)


@binds(ast.AllColumns)
def _all_columns(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    raise binder.source.error(node, "`*` stands for columns only in a SELECT list and in COUNT(*)")


@binds(exp.Literal)
def _literal(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    text = str(node.this)
    return plan_literals.string(text) if node.is_string else bind_number(binder, node, text)


@binds(exp.Boolean)
def _boolean(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return plan_literals.boolean(bool(node.this))


@binds(exp.Null)
def _null(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return plan_literals.null()


@binds(exp.Var)
def _unknown(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return plan_literals.null(BOOLEAN)


_TYPED = {"DATE": plan_literals.date, "TIME": plan_literals.time, "TIMESTAMP": plan_literals.timestamp}


@binds(ast.TypedLiteral)
def _typed_literal(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.TypedLiteral)
    reader = _TYPED.get(node.kind)
    if reader is None:
        raise binder.source.unsupported(node, f"a {node.kind} literal", "CAST a text, or use TO_TIMESTAMP_LTZ")
    return reader(node.value)


@binds(ast.BinaryLiteral)
def _binary(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.BinaryLiteral)
    return plan_literals.binary(node.value)


@binds(ast.IntervalLiteral)
def _interval(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IntervalLiteral)
    unit = qualifier_text(node.unit)
    operand = node.args.get("expression")
    if operand is None:
        text = node.value
        if node.negative:
            text = text[1:] if text.startswith("-") else f"-{text.lstrip('+')}"
        return plan_literals.interval(text, unit)
    product = resolve_call("*", [bind(binder, operand, context), plan_literals.interval("1", unit)])
    return resolve_call("-", [product]) if node.negative else product


@binds(ast.Keyword)
def _keyword(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Keyword)
    if node.name in ("BOTH", "LEADING", "TRAILING"):
        return plan_literals.trim_flag(node.name)
    if node.name == "DEFAULT":
        raise binder.source.unsupported(node, "DEFAULT as an argument")
    return plan_literals.time_unit(node.name)


@binds(exp.Case)
def _case(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    subject = node.this
    branches: list[RexNode] = []
    for branch in node.args["ifs"]:
        with binder.source.at(branch):
            if subject is None:
                when = bind_condition(binder, branch.this, replace(context, clause="the condition of WHEN"))
            else:
                operands = [bind(binder, operand, context) for operand in (subject, branch.this)]
                check_equality(*operands)
                when = resolve_call("=", operands)
        branches += [when, bind(binder, branch.args["true"], context)]
    default = node.args.get("default")
    branches.append(plan_literals.null() if default is None else bind(binder, default, context))
    return resolve_call("CASE", branches)


@binds(exp.Cast, exp.TryCast)
def _cast(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    target = bind_type(node.args["to"], binder.source)
    return casts.cast(bind(binder, node.this, context), target, try_=isinstance(node, exp.TryCast))


@binds(ast.RowValue)
def _row(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return call(binder, node, "ROW", node.expressions, context)


@binds(ast.ArrayValue)
def _array(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return call(binder, node, "ARRAY", node.expressions, context)


@binds(ast.MapValue)
def _map(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return call(binder, node, "MAP", node.expressions, context)


@binds(ast.QueryConstructor)
def _query_constructor(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    raise binder.source.unsupported(node, f"{node.args['kind']}(query)", "aggregate with ARRAY_AGG or COLLECT instead")


@binds(ast.ItemAccess)
def _item(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.ItemAccess)
    collection, item = bind(binder, node.this, context), bind(binder, node.item, context)
    row = type_of(collection)
    if isinstance(row, FieldsType) and isinstance(item, Literal):
        # row[1] and row['name'] are the field of that place or name.
        if isinstance(item.value, int) and 1 <= item.value <= len(row.fields):
            return FieldAccess(collection, row.names[item.value - 1])
        if isinstance(item.value, str) and row.field_named(item.value) is not None:
            return FieldAccess(collection, item.value)
    return resolve_call("ITEM", [collection, item])


@binds(ast.FieldAccess)
def _field(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.FieldAccess)
    part = node.field
    if not isinstance(part, exp.Identifier):
        raise binder.source.error(part, "`.*` stands for columns only in a SELECT list")
    return field_of(bind(binder, node.this, context), part, binder.source)
