"""Scalar expressions: syntax to typed row expressions.

`bind` looks the class of a node up in `BINDERS`; every class of `planner.sql.nodes` that is an expression is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from planner.functions import casts, literals
from planner.functions.registry import resolve_call
from planner.sql import nodes as ast
from planner.sql.binding.core import Context, Session
from planner.sql.binding.scopes import field_of, resolve
from planner.sql.binding.types import bind_type, qualifier_text
from plans.errors import ProgramError
from plans.rex import FieldAccess, Literal, RexNode, type_of
from plans.types import BOOLEAN, BooleanType, CharacterType, FieldsType, NullType, NumericType

Binder = Callable[[Session, exp.Expr, Context], RexNode]

BINDERS: dict[type[exp.Expr], Binder] = {}


def binds(*classes: type[exp.Expr]) -> Callable[[Binder], Binder]:
    """Register a function as the binder of these classes of nodes."""

    def register(function: Binder) -> Binder:
        for class_ in classes:
            BINDERS[class_] = function
        return function

    return register


def bind(session: Session, node: exp.Expr, context: Context) -> RexNode:
    """The typed row expression of `node` over the scope of `context`.

    Raises:
        ProgramError: unknown name or function, wrong types; with line, column and caret.
        UnsupportedError: a construct that is not supported.
    """
    binder = BINDERS.get(type(node))
    if binder is None:
        raise session.source.unsupported(node, f"{type(node).__name__} in an expression")
    with session.source.at(node):
        return binder(session, node, context)


def bind_value(session: Session, node: exp.Expr, context: Context) -> RexNode:
    """An expression that becomes a column: a bare NULL has no type there.

    Raises:
        ProgramError: as `bind`, and for NULL without CAST.
    """
    rex = bind(session, node, context)
    if isinstance(type_of(rex), NullType):
        raise session.source.error(node, "illegal use of NULL: its type is unknown here", "write CAST(NULL AS type)")
    return rex


def bind_condition(session: Session, node: exp.Expr, context: Context) -> RexNode:
    """A boolean expression.

    Raises:
        ProgramError: as `bind`, and for another type.
    """
    rex = bind(session, node, context)
    if isinstance(type_of(rex), NullType):
        return casts.cast(rex, BOOLEAN)
    if not isinstance(type_of(rex), BooleanType):
        raise session.source.error(node, f"{context.clause} must be a condition, not {type_of(rex)}")
    return rex


def call(session: Session, node: exp.Expr, name: str, operands: Sequence[exp.Expr], context: Context) -> RexNode:
    """The function or operator `name` over bound operands."""
    return resolve_call(name, [bind(session, operand, context) for operand in operands])


# --- names and literals ---------------------------------------------------------------------------------------------


@binds(ast.ColumnRef)
def _column(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.ColumnRef)
    return resolve(node.parts, context.scope, session.source, node)


@binds(ast.AllColumns)
def _all_columns(session: Session, node: exp.Expr, context: Context) -> RexNode:
    raise session.source.error(node, "`*` stands for columns only in a SELECT list and in COUNT(*)")


@binds(exp.Literal)
def _literal(session: Session, node: exp.Expr, context: Context) -> RexNode:
    text = str(node.this)
    return literals.string(text) if node.is_string else _number(session, node, text)


def _number(session: Session, node: exp.Expr, text: str) -> RexNode:
    try:
        return literals.number(text)
    except ArithmeticError:
        raise session.source.error(node, f"not a number: {text}") from None


@binds(exp.Boolean)
def _boolean(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return literals.boolean(bool(node.this))


@binds(exp.Null)
def _null(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return literals.null()


@binds(exp.Var)
def _unknown(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return literals.null(BOOLEAN)


_TYPED = {"DATE": literals.date, "TIME": literals.time, "TIMESTAMP": literals.timestamp}


@binds(ast.TypedLiteral)
def _typed_literal(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.TypedLiteral)
    reader = _TYPED.get(node.kind)
    if reader is None:
        raise session.source.unsupported(node, f"a {node.kind} literal", "CAST a text, or use TO_TIMESTAMP_LTZ")
    return reader(node.value)


@binds(ast.BinaryLiteral)
def _binary(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.BinaryLiteral)
    return literals.binary(node.value)


@binds(ast.IntervalLiteral)
def _interval(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IntervalLiteral)
    unit = qualifier_text(node.unit)
    operand = node.args.get("expression")
    if operand is None:
        text = node.value
        if node.negative:
            text = text[1:] if text.startswith("-") else f"-{text.lstrip('+')}"
        return literals.interval(text, unit)
    product = resolve_call("*", [bind(session, operand, context), literals.interval("1", unit)])
    return resolve_call("-", [product]) if node.negative else product


@binds(ast.Keyword)
def _keyword(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Keyword)
    if node.name in ("BOTH", "LEADING", "TRAILING"):
        return literals.trim_flag(node.name)
    if node.name == "DEFAULT":
        raise session.source.unsupported(node, "DEFAULT as an argument")
    return literals.time_unit(node.name)


# --- operators ------------------------------------------------------------------------------------------------------

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
def _operator(session: Session, node: exp.Expr, context: Context) -> RexNode:
    operands = [bind(session, operand, context) for operand in (node.this, node.expression)]
    if isinstance(node, exp.EQ | exp.NEQ):
        check_equality(*operands)
    return resolve_call(_BINARY[type(node)], operands)


def check_equality(left: RexNode, right: RexNode) -> None:
    """Refuse `=` and `<>` of a number and a text: Flink casts them for `<`, BETWEEN and IN alone.

    Raises:
        ProgramError: names both types.
    """
    one, two = type_of(left), type_of(right)
    for number, text in ((one, two), (two, one)):
        if isinstance(number, NumericType) and isinstance(text, CharacterType):
            raise ProgramError(
                f"{one} and {two} cannot be tested for equality: there is no implicit conversion between them",
                remedy="CAST one side to the type of the other",
            )


@binds(exp.And, exp.Or)
def _connective(session: Session, node: exp.Expr, context: Context) -> RexNode:
    # AND and OR come left-deep and may be long: taken apart in a loop, as one call of many operands.
    parts: list[exp.Expr] = []
    here: exp.Expr = node
    while type(here) is type(node):
        parts.append(here.expression)
        here = here.this
    parts.append(here)
    name = "AND" if isinstance(node, exp.And) else "OR"
    operands = [bind_condition(session, part, replace(context, clause=f"an operand of {name}")) for part in parts[::-1]]
    return resolve_call(name, operands)


@binds(exp.Not)
def _not(session: Session, node: exp.Expr, context: Context) -> RexNode:
    inner = node.this
    if isinstance(inner, ast.Like):
        return _like_call(session, inner, f"NOT {inner.kind}", context)
    if isinstance(inner, exp.Between):
        return _between_call(session, inner, "NOT ", context)
    if isinstance(inner, exp.In) and inner.args.get("query") is None:
        return call(session, node, "NOT IN", [inner.this, *inner.expressions], context)
    return resolve_call("NOT", [bind_condition(session, inner, replace(context, clause="the operand of NOT"))])


@binds(exp.Neg)
def _negative(session: Session, node: exp.Expr, context: Context) -> RexNode:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return _number(session, node, f"-{node.this.this}")
    return resolve_call("-", [bind(session, node.this, context)])


@binds(ast.Plus)
def _plus(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return resolve_call("+", [bind(session, node.this, context)])


@binds(ast.Overlaps)
def _overlaps(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Overlaps)
    if node.kind != "OVERLAPS":
        raise session.source.unsupported(node, f"the period predicate {node.kind}")
    return call(session, node, "OVERLAPS", [*node.this.expressions, *node.expression.expressions], context)


# --- predicates -----------------------------------------------------------------------------------------------------


@binds(ast.IsPredicate)
def _is(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IsPredicate)
    name = f"IS NOT {node.kind}" if node.negated else f"IS {node.kind}"
    return call(session, node, name, [node.this], context)


@binds(ast.IsDistinctFrom)
def _is_distinct(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.IsDistinctFrom)
    name = "IS NOT DISTINCT FROM" if node.negated else "IS DISTINCT FROM"
    operands = [bind(session, operand, context) for operand in (node.this, node.expression)]
    check_equality(*operands)
    return resolve_call(name, operands)


@binds(ast.Like)
def _like(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Like)
    return _like_call(session, node, node.kind, context)


def _like_call(session: Session, node: ast.Like, name: str, context: Context) -> RexNode:
    operands = [node.this, node.pattern] + ([node.escape] if node.escape is not None else [])
    return call(session, node, name, operands, context)


@binds(exp.Between)
def _between(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return _between_call(session, node, "", context)


def _between_call(session: Session, node: exp.Expr, prefix: str, context: Context) -> RexNode:
    name = prefix + ("BETWEEN SYMMETRIC" if node.args.get("symmetric") else "BETWEEN")
    return call(session, node, name, [node.this, node.args["low"], node.args["high"]], context)


@binds(exp.In)
def _in(session: Session, node: exp.Expr, context: Context) -> RexNode:
    if node.args.get("query") is not None:
        from planner.sql.binding.subqueries import bind_in

        return bind_in(session, node, node.args["query"], context)
    return call(session, node, "IN", [node.this, *node.expressions], context)


@binds(ast.Quantified)
def _quantified(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.Quantified)
    if node.query is not None:
        from planner.sql.binding.subqueries import bind_quantified

        return bind_quantified(session, node, context)
    left = bind(session, node.this, context)
    parts = [resolve_call(node.op, [left, bind(session, item, context)]) for item in node.expressions]
    return parts[0] if len(parts) == 1 else resolve_call("OR" if node.quantifier == "ANY" else "AND", parts)


# --- values ---------------------------------------------------------------------------------------------------------


@binds(exp.Case)
def _case(session: Session, node: exp.Expr, context: Context) -> RexNode:
    subject = node.this
    branches: list[RexNode] = []
    for branch in node.args["ifs"]:
        with session.source.at(branch):
            if subject is None:
                when = bind_condition(session, branch.this, replace(context, clause="the condition of WHEN"))
            else:
                operands = [bind(session, operand, context) for operand in (subject, branch.this)]
                check_equality(*operands)
                when = resolve_call("=", operands)
        branches += [when, bind(session, branch.args["true"], context)]
    default = node.args.get("default")
    branches.append(literals.null() if default is None else bind(session, default, context))
    return resolve_call("CASE", branches)


@binds(exp.Cast, exp.TryCast)
def _cast(session: Session, node: exp.Expr, context: Context) -> RexNode:
    target = bind_type(node.args["to"], session.source)
    return casts.cast(bind(session, node.this, context), target, try_=isinstance(node, exp.TryCast))


@binds(ast.RowValue)
def _row(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return call(session, node, "ROW", node.expressions, context)


@binds(ast.ArrayValue)
def _array(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return call(session, node, "ARRAY", node.expressions, context)


@binds(ast.MapValue)
def _map(session: Session, node: exp.Expr, context: Context) -> RexNode:
    return call(session, node, "MAP", node.expressions, context)


@binds(ast.QueryConstructor)
def _query_constructor(session: Session, node: exp.Expr, context: Context) -> RexNode:
    raise session.source.unsupported(node, f"{node.args['kind']}(query)", "aggregate with ARRAY_AGG or COLLECT instead")


@binds(ast.ItemAccess)
def _item(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.ItemAccess)
    collection, item = bind(session, node.this, context), bind(session, node.item, context)
    row = type_of(collection)
    if isinstance(row, FieldsType) and isinstance(item, Literal):
        # row[1] and row['name'] are the field of that place or name.
        if isinstance(item.value, int) and 1 <= item.value <= len(row.fields):
            return FieldAccess(collection, row.names[item.value - 1])
        if isinstance(item.value, str) and row.field_named(item.value) is not None:
            return FieldAccess(collection, item.value)
    return resolve_call("ITEM", [collection, item])


@binds(ast.FieldAccess)
def _field(session: Session, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ast.FieldAccess)
    part = node.field
    if not isinstance(part, exp.Identifier):
        raise session.source.error(part, "`.*` stands for columns only in a SELECT list")
    return field_of(bind(session, node.this, context), part, session.source)


# --- queries --------------------------------------------------------------------------------------------------------


@binds(exp.Exists)
def _exists(session: Session, node: exp.Expr, context: Context) -> RexNode:
    from planner.sql.binding.subqueries import bind_exists

    return bind_exists(session, node, context)


@binds(exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Values)
def _scalar(session: Session, node: exp.Expr, context: Context) -> RexNode:
    from planner.sql.binding.subqueries import bind_scalar

    return bind_scalar(session, node, context)
