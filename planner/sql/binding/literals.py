"""Names, literals, CASE, CAST, and rows, arrays and maps with access to their elements."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.functions.temporal_math import difference
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_number, binds, call
from compiled_plan.planner.sql.binding.scopes import field_of, resolve
from compiled_plan.planner.sql.binding.types import bind_type, qualifier_text
from compiled_plan.plans.rex import FieldAccess, Literal, RexNode, type_of
from compiled_plan.plans.types import BOOLEAN, FieldsType


@binds(ast.ColumnRef)
def _column(binder: Binder, node: ast.ColumnRef, context: Context) -> RexNode:
    return resolve(node.parts, context.scope, binder.source, node)


@binds(ast.AllColumns)
def _all_columns(binder: Binder, node: ast.AllColumns, context: Context) -> RexNode:
    raise binder.source.error(node, "`*` stands for columns only in a SELECT list and in COUNT(*)")


@binds(ast.Constant)
def _constant(binder: Binder, node: ast.Constant, context: Context) -> RexNode:
    return plan_literals.string(node.text) if node.is_string else bind_number(binder, node, node.text)


@binds(ast.TruthValue)
def _truth_value(binder: Binder, node: ast.TruthValue, context: Context) -> RexNode:
    return plan_literals.null(BOOLEAN) if node.value is None else plan_literals.boolean(node.value)


@binds(ast.Null)
def _null(binder: Binder, node: ast.Null, context: Context) -> RexNode:
    return plan_literals.null()


_TYPED = {"DATE": plan_literals.date, "TIME": plan_literals.time, "TIMESTAMP": plan_literals.timestamp}


@binds(ast.TypedLiteral)
def _typed_literal(binder: Binder, node: ast.TypedLiteral, context: Context) -> RexNode:
    reader = _TYPED.get(node.kind)
    if reader is None:
        raise binder.source.unsupported(node, f"a {node.kind} literal", "CAST a text, or use TO_TIMESTAMP_LTZ")
    return reader(node.value)


@binds(ast.BinaryLiteral)
def _binary(binder: Binder, node: ast.BinaryLiteral, context: Context) -> RexNode:
    return plan_literals.binary(node.value)


@binds(ast.IntervalLiteral)
def _interval(binder: Binder, node: ast.IntervalLiteral, context: Context) -> RexNode:
    unit = qualifier_text(node.unit)
    if isinstance(node.amount, str):
        text = node.amount
        if node.negative:
            text = text[1:] if text.startswith("-") else f"-{text.lstrip('+')}"
        return plan_literals.interval(text, unit)
    product = resolve_call("*", [bind(binder, node.amount, context), plan_literals.interval("1", unit)])
    return resolve_call("-", [product]) if node.negative else product


@binds(ast.Difference)
def _difference(binder: Binder, node: ast.Difference, context: Context) -> RexNode:
    points = bind(binder, node.left, context), bind(binder, node.right, context)
    if len({type_of(point).ROOT for point in points}) > 1:
        shown = " and ".join(str(type_of(point)) for point in points)
        raise binder.source.error(
            node, f"there is no interval between {shown}", "cast one side to the type of the other"
        )
    return difference(points, plan_literals.interval_type(qualifier_text(node.unit)))


@binds(ast.Keyword)
def _keyword(binder: Binder, node: ast.Keyword, context: Context) -> RexNode:
    if node.word in ("BOTH", "LEADING", "TRAILING"):
        return plan_literals.trim_flag(node.word)
    if node.word == "DEFAULT":
        raise binder.source.unsupported(node, "DEFAULT as an argument")
    return plan_literals.time_unit(node.word)


@binds(ast.Case)
def _case(binder: Binder, node: ast.Case, context: Context) -> RexNode:
    inside = replace(context, clause="the condition of WHEN")
    operands: list[RexNode] = []
    for branch in node.branches:
        with binder.source.at(branch):
            operands.append(bind_condition(binder, branch.condition, inside))
        operands.append(bind(binder, branch.result, context))
    operands.append(plan_literals.null() if node.default is None else bind(binder, node.default, context))
    return resolve_call("CASE", operands)


@binds(ast.Cast)
def _cast(binder: Binder, node: ast.Cast, context: Context) -> RexNode:
    target = bind_type(node.type, binder.source)
    return casts.cast(bind(binder, node.operand, context), target, try_=node.safe)


@binds(ast.RowValue)
def _row(binder: Binder, node: ast.RowValue, context: Context) -> RexNode:
    return call(binder, "ROW", node.items, context)


@binds(ast.Collection)
def _collection(binder: Binder, node: ast.Collection, context: Context) -> RexNode:
    return call(binder, node.kind, node.items, context)


@binds(ast.QueryConstructor)
def _query_constructor(binder: Binder, node: ast.QueryConstructor, context: Context) -> RexNode:
    raise binder.source.unsupported(node, f"{node.kind}(query)", "aggregate with ARRAY_AGG or COLLECT instead")


@binds(ast.ItemAccess)
def _item(binder: Binder, node: ast.ItemAccess, context: Context) -> RexNode:
    collection, item = bind(binder, node.operand, context), bind(binder, node.item, context)
    row = type_of(collection)
    if isinstance(row, FieldsType) and isinstance(item, Literal):
        # row[1] and row['name'] are fields by position or name.
        if isinstance(item.value, int) and 1 <= item.value <= len(row.fields):
            return FieldAccess(collection, row.names[item.value - 1])
        if isinstance(item.value, str) and row.field_named(item.value) is not None:
            return FieldAccess(collection, item.value)
    return resolve_call("ITEM", [collection, item])


@binds(ast.FieldAccess)
def _field(binder: Binder, node: ast.FieldAccess, context: Context) -> RexNode:
    part = node.field
    if not isinstance(part, ast.Identifier):
        raise binder.source.error(part, "`.*` stands for columns only in a SELECT list")
    return field_of(bind(binder, node.operand, context), part, binder.source)
