"""The nodes that only the Table API puts into a query's tree, and how the binder reads them.

Everything else that the Table API builds are the nodes of `planner.sql.nodes`, so that names, types, casts, aggregates
and errors are those of SQL.
"""

from __future__ import annotations

from itertools import count
from typing import ClassVar, cast
from weakref import WeakKeyDictionary

from sqlglot import exp

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import BINDERS, bind, binds
from compiled_plan.planner.sql.binding.scopes import ScopeColumn, outer, resolve
from compiled_plan.planner.sql.nodes.base import Node
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import CharacterType

#: The key of a node's `meta` that holds the Python text of its expression, for errors.
TEXT = "python"


class Wrapper:
    """What holds a node: the base of all expressions."""

    __slots__ = ("_node",)

    _node: exp.Expr


class ColumnNode(ast.ColumnRef):
    """A column by name: `col("a")`, or `table.a` with the table's key in `owner`. Args: `parts` (one), `owner`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True, "owner": False}

    @property
    def owner(self) -> str:
        """The key of the table that the column was taken from; empty for `col("a")`."""
        return self._str("owner")


class ColumnAt(ast.ColumnRef):
    """A column of the input by its place, which a repeated name cannot make ambiguous. Args: `parts`, `place`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True, "place": True}


class Columns(Node):
    """Several columns, or all others, in a SELECT list. Args: `chosen` (pairs of names or places), `negated`."""

    arg_types: ClassVar[dict[str, bool]] = {"chosen": True, "negated": True}


class WindowProperty(Node):
    """`col("w").start` of a group window. Args: `window` (its alias), `kind` (START, END, ROWTIME, PROCTIME)."""

    arg_types: ClassVar[dict[str, bool]] = {"window": True, "kind": True}


class Sum(exp.Add):
    """`a + b`, which of texts is their concatenation. Args: `this`, `expression`."""


class InlineCall(ast.Call):
    """The call of a function that has no name in the catalog. Args: as `Call`, and `function`: the class or object."""

    arg_types: ClassVar[dict[str, bool]] = {**ast.Call.arg_types, "function": True}


class Value(Node):
    """A row expression that is bound already. Args: `rex`."""

    arg_types: ClassVar[dict[str, bool]] = {"rex": True}


#: How much of an expression's text is kept.
_LONGEST = 400


def named(node: exp.Expr, text: str) -> exp.Expr:
    """The node, with its Python text for errors; the middle of a very long one is left out."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    node.meta[TEXT] = text
    return node


def identifier(name: str) -> exp.Identifier:
    """A name, taken as it is."""
    return exp.Identifier(this=name, quoted=True)


def column(name: str, owner: str = "") -> exp.Expr:
    """A column by name."""
    return ColumnNode(parts=[identifier(name)], owner=owner)


def column_at(name: str, place: int) -> exp.Expr:
    """A column of the input by its place among those of `*`."""
    return named(ColumnAt(parts=[identifier(name)], place=place), f"col({name!r})")


@binds(ColumnNode)
def _column(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ColumnNode)
    name = node.name
    for level in context.scope.chain() if node.owner else ():
        owned = [relation for relation in level.relations if node.owner in relation.path[:-1]]
        found = [item for relation in owned for item in _named_so(relation.columns, name)]
        if len(found) > 1:
            raise _ambiguous(binder, node, name, len(found))
        if found:
            rex = level.at(found[0].index)
            return rex if level is context.scope else outer(rex, level.correlation)
    for level in context.scope.chain():
        found = _named_so(level.visible, name)
        if len(found) > 1:
            raise _ambiguous(binder, node, name, len(found))
        if found:
            return resolve(node.parts, context.scope, binder.source, node)
    known = [item.name for level in context.scope.chain() for item in level.visible]
    raise unknown_column(binder, node, name, known)


def _ambiguous(binder: Binder, node: exp.Expr, name: str, count: int) -> Exception:
    return binder.source.error(
        node,
        f"column {name!r} is ambiguous: {count} columns have that name",
        f"take it from its table (table.{name}), or rename one of them before",
    )


def unknown_column(binder: Binder, node: exp.Expr, name: str, known: list[str]) -> Exception:
    """The error for a name that no column has: the nearest one, and all that there are."""
    return binder.source.error(node, f"there is no column {name!r}", columns_remedy(name, known))


def columns_remedy(name: str, known: list[str]) -> str:
    """The nearest name, and all that there are."""
    listed = ", ".join(known) or "none"
    close = did_you_mean(name, known, " ")
    return f"the columns are: {listed}" if close == " " else f"{close} The columns are: {listed}"


def _named_so(columns: tuple[ScopeColumn, ...], name: str) -> list[ScopeColumn]:
    return [item for item in columns if item.name == name]


@binds(ColumnAt)
def _column_at(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, ColumnAt)
    return context.scope.reference(context.scope.visible[cast(int, node.args["place"])])


@binds(WindowProperty)
def _property(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    window = str(node.args["window"])
    raise binder.source.error(
        node,
        f"{window!r} is no window of this table",
        f'write table.window(Tumble.over(...).on(...).alias("{window}")).group_by(col("{window}")).select(...)',
    )


@binds(Sum)
def _sum(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    operands = [bind(binder, operand, context) for operand in (node.this, node.expression)]
    texts = all(isinstance(type_of(rex), CharacterType) for rex in operands)
    return resolve_call("||" if texts else "+", operands)


@binds(Columns)
def _columns(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    raise binder.source.error(node, "several columns cannot stand inside an expression", "write them in select(...)")


@binds(InlineCall)
def _inline(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    assert isinstance(node, InlineCall)
    return BINDERS[ast.Call](binder, by_name(binder.catalog, node), context)


#: The functions of inline calls that a catalog holds, by the names they were given.
_INLINE: WeakKeyDictionary[Catalog, dict[str, object]] = WeakKeyDictionary()


def by_name(catalog: Catalog, node: InlineCall) -> ast.Call:
    """An inline call as one by name, its function registered under that of its class (and a number).

    Raises:
        ProgramError: it is no function, or its types cannot be had.
    """
    from compiled_plan.planner.user_functions.registering import catalog_function

    known = _INLINE.setdefault(catalog, {})
    function = node.args["function"]
    name = base = node.parts[0].name
    for number in count(2):
        if known.get(name, function) is function:
            break
        name = f"{base}#{number}"
    if name not in known:
        full = catalog.qualify((name,))
        catalog.functions.create(catalog_function(full, function, system=True))
        known[name] = function
    arguments = {key: value for key, value in node.args.items() if key not in ("function", "parts")}
    found = ast.Call(parts=[identifier(name)], **arguments)
    found.meta.update(node.meta)
    return found


@binds(exp.Alias)
def _alias(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    raise binder.source.error(
        node, "an alias names a whole column, so it cannot stand inside an expression", "write .alias(...) last"
    )


@binds(exp.Ordered)
def _ordered(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    raise binder.source.error(
        node, "a direction cannot stand inside an expression", "write .asc and .desc in order_by and topn alone"
    )


@binds(Value)
def _value(binder: Binder, node: exp.Expr, context: Context) -> RexNode:
    return cast(RexNode, node.args["rex"])
