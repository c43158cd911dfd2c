"""AST nodes that only the Table API creates, and their binders.

All other nodes of the Table API are those of `planner.sql.nodes`, so that names, types, casts, aggregates and errors
are those of SQL.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import count
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import BINDERS, bind, binds
from compiled_plan.planner.sql.binding.scopes import ScopeColumn, outer, resolve
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import CharacterType

N = TypeVar("N", bound=ast.Node)


class Wrapper:
    """Base of all expressions: wraps a node."""

    __slots__ = ("_node",)

    _node: ast.Expression


@ast.node
class ColumnNode(ast.ColumnRef):
    """A column by name: `col("a")`, or `table.a` with the table's key as owner."""

    owner: str = ""


@ast.node
class ColumnAt(ast.ColumnRef):
    """A column of the input by index, which repeated names cannot make ambiguous."""

    place: int


@ast.node
class Columns(ast.Expression):
    """Several columns of a SELECT list: (from, to) pairs of names or indices, or all except these."""

    chosen: tuple[tuple[str | int, str | int], ...]
    negated: bool


@ast.node
class WindowProperty(ast.Expression):
    """`col("w").start` of a group window: its alias, and START, END, ROWTIME or PROCTIME."""

    window: str
    kind: str


@ast.node
class Sum(ast.Binary):
    """`a + b`, which concatenates texts."""


@ast.node
class InlineCall(ast.Call):
    """The call of a function without a name in the catalog: a class or an object."""

    function: object = None


@ast.node
class FunctionAlias(ast.Alias):
    """The call of a table function with names for its columns, `name` being the first one."""

    columns: tuple[str, ...]


@ast.node
class Value(ast.Expression):
    """An already bound row expression."""

    rex: RexNode


#: Maximum length of an expression's text.
_LONGEST = 400


def named(node: N, text: str) -> N:
    """The node with its Python text for errors."""
    return replace(node, python=shortened(text))


def shortened(text: str) -> str:
    """A Python text, with an ellipsis for the middle part if it is very long."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def identifier(name: str) -> ast.Identifier:
    """A name as an identifier, without parsing."""
    return ast.Identifier(name)


def column(name: str, owner: str = "") -> ColumnNode:
    """The SQL node of a column by its name."""
    return ColumnNode((identifier(name),), owner)


def column_at(name: str, place: int) -> ColumnAt:
    """A column of the input by its index among the columns of `*`."""
    return named(ColumnAt((identifier(name),), place), f"col({name!r})")


@binds(ColumnNode)
def _column(binder: Binder, node: ColumnNode, context: Context) -> RexNode:
    name = node.name
    for level in context.scope.chain() if node.owner else ():
        owned = [relation for relation in level.relations if node.owner in relation.path[:-1]]
        columns = [item for relation in owned for item in _named_so(relation.columns, name)]
        if len(columns) > 1:
            raise _ambiguous(binder, node, name, len(columns))
        if columns:
            rex = level.at(columns[0].index)
            return rex if level is context.scope else outer(rex, level.correlation)
    for level in context.scope.chain():
        columns = _named_so(level.visible, name)
        if len(columns) > 1:
            raise _ambiguous(binder, node, name, len(columns))
        if columns:
            return resolve(node.parts, context.scope, binder.source, node)
    known = [item.name for level in context.scope.chain() for item in level.visible]
    raise unknown_column(binder, node, name, known)


def _ambiguous(binder: Binder, node: ast.Node, name: str, count: int) -> Exception:
    return binder.source.error(
        node,
        f"column {name!r} is ambiguous: {count} columns have that name",
        f"take it from its table (table.{name}), or rename one of them before",
    )


def unknown_column(binder: Binder, node: ast.Node, name: str, known: list[str]) -> Exception:
    """The error for an unknown column, with the nearest name and all known ones."""
    return binder.source.error(node, f"there is no column {name!r}", columns_remedy(name, known))


def columns_remedy(name: str, known: list[str]) -> str:
    """A remedy with the nearest name and all known ones."""
    listed = ", ".join(known) or "none"
    close = did_you_mean(name, known, " ")
    return f"the columns are: {listed}" if close == " " else f"{close} The columns are: {listed}"


def _named_so(columns: tuple[ScopeColumn, ...], name: str) -> list[ScopeColumn]:
    return [item for item in columns if item.name == name]


@binds(ColumnAt)
def _column_at(binder: Binder, node: ColumnAt, context: Context) -> RexNode:
    return context.scope.reference(context.scope.visible[node.place])


@binds(WindowProperty)
def _property(binder: Binder, node: WindowProperty, context: Context) -> RexNode:
    window = node.window
    raise binder.source.error(
        node,
        f"{window!r} is no window of this table",
        f'write table.window(Tumble.over(...).on(...).alias("{window}")).group_by(col("{window}")).select(...)',
    )


@binds(Sum)
def _sum(binder: Binder, node: Sum, context: Context) -> RexNode:
    operands = [bind(binder, operand, context) for operand in (node.left, node.right)]
    texts = all(isinstance(type_of(rex), CharacterType) for rex in operands)
    return resolve_call("||" if texts else "+", operands)


@binds(Columns)
def _columns(binder: Binder, node: Columns, context: Context) -> RexNode:
    raise binder.source.error(node, "several columns cannot stand inside an expression", "write them in select(...)")


@binds(InlineCall)
def _inline(binder: Binder, node: InlineCall, context: Context) -> RexNode:
    return BINDERS[ast.Call](binder, by_name(binder.catalog, node), context)


#: Functions of inline calls per catalog, by generated name.
_INLINE: WeakKeyDictionary[Catalog, dict[str, object]] = WeakKeyDictionary()


def by_name(catalog: Catalog, node: InlineCall) -> ast.Call:
    """Replace an inline call by a call by name, and register its function under the name of its class (and a number).

    Raises:
        ProgramError: it is no function, or its types cannot be inferred.
    """
    from compiled_plan.planner.user_functions.registering import catalog_function

    known = _INLINE.setdefault(catalog, {})
    function = node.function
    name = base = node.parts[0].name
    for number in count(2):
        if known.get(name, function) is function:
            break
        name = f"{base}#{number}"
    if name not in known:
        full = catalog.qualify((name,))
        catalog.functions.add_inline(catalog_function(full, function, system=True))
        known[name] = function
    clauses: dict[str, Any] = {item.name: getattr(node, item.name) for item in fields(ast.Call)}
    return ast.Call(**{**clauses, "parts": (identifier(name),)})


@binds(ast.Alias, FunctionAlias)
def _alias(binder: Binder, node: ast.Expression, context: Context) -> RexNode:
    raise binder.source.error(
        node, "an alias names a whole column, so it cannot stand inside an expression", "write .alias(...) last"
    )


@binds(ast.Ordered)
def _ordered(binder: Binder, node: ast.Ordered, context: Context) -> RexNode:
    raise binder.source.error(
        node, "a direction cannot stand inside an expression", "write .asc and .desc in order_by and topn alone"
    )


@binds(Value)
def _value(binder: Binder, node: Value, context: Context) -> RexNode:
    return node.rex
