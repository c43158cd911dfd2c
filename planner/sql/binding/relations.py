"""Relations in FROM: tables, views, subqueries, UNNEST, table functions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Correlate, Project, RelNode, TableFunctionScan
from compiled_plan.planner.algebra.traverse import unordered
from compiled_plan.planner.catalog.connectors import check_dead_letters
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding import late_rows
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.planner.sql.binding.from_clause import BoundRelation, From, Place, binds_relation, one_row, relation
from compiled_plan.planner.sql.binding.hints import bind_table_hints, ignore_hints, with_options
from compiled_plan.planner.sql.binding.scans import scan
from compiled_plan.planner.sql.binding.scopes import Relation, Scope, columns_of
from compiled_plan.planner.sql.binding.temporal import bind_snapshot
from compiled_plan.planner.sql.binding.views import view_query
from compiled_plan.planner.sql.binding.window_tables import WINDOW_TABLE_FUNCTIONS, BindFunction, bind_window_table
from compiled_plan.plans.connectors.dead_letters import dead_letter_table, name_parts
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.rex import Call, InputRef, type_of
from compiled_plan.plans.types import INT, ArrayType, Field, FieldsType, LogicalType, MapType, MultisetType, RowType

if TYPE_CHECKING:
    from compiled_plan.planner.catalog.functions import CatalogFunction
    from compiled_plan.planner.sql.binding import matches, user_functions
else:
    matches = deferred("compiled_plan.planner.sql.binding.matches")
    user_functions = deferred("compiled_plan.planner.sql.binding.user_functions")

# --- tables, views, queries -----------------------------------------------------------------------------------------


@binds_relation(ast.TableRef)
def _table(binder: Binder, node: ast.TableRef, place: Place) -> From:
    bound = _plain_table(binder, node, place)
    if node.as_of is None:
        return bound
    return replace(bound, rel=bind_snapshot(binder, node.as_of, bound.rel, place.lateral, place.around))


@binds_relation(BoundRelation)
def _bound(binder: Binder, node: BoundRelation, place: Place) -> From:
    relation_node = node.relation
    if node.as_of is None:
        return relation_node
    return replace(relation_node, rel=bind_snapshot(binder, node.as_of, relation_node.rel, place.lateral, place.around))


def _plain_table(binder: Binder, node: ast.TableRef, place: Place) -> From:
    alias = node.alias
    named = alias is not None and bool(alias.name)
    if len(node.parts) == 1 and node.names[0] in place.around.ctes:
        if node.hints:
            ignore_hints(node.hints, binder.source)
        query = _as_table(place.around.ctes[node.names[0]])
        return _named(binder, query, node, alias, (node.names[0],), place)
    with binder.source.at(node):
        entry = binder.catalog.find(node.names)
    if entry is None:
        raise _unknown_table(binder, node, place)
    path = binder.catalog.qualify(node.names)
    full = (path.catalog, path.database, path.name)
    if isinstance(entry, CatalogView):
        if node.hints:
            raise binder.source.error(
                node.hints[0], f"view {entry.identifier} cannot take options", "hints can only be applied to tables"
            )
        return _named(binder, view_query(binder, entry), node, alias, full, place)
    assert isinstance(entry, CatalogTable)
    hints = bind_table_hints(node.hints, binder.source)
    name = alias.name if alias is not None and named else node.names[-1]
    table = with_options(entry, hints)
    late = late_rows.option_table(binder, node, table)
    if late is not None:
        table, hints = late_rows.without_option(table, hints)
    rel = scan(table, name, hints, _dead_letters(binder, node, table), late)
    return _named(binder, Bound(rel, rel.row_type.names), node, alias, full, place)


def _dead_letters(binder: Binder, node: ast.TableRef, table: CatalogTable) -> CatalogTable | None:
    """The dead-letter table of a table; a name without a database is resolved in the table's own."""
    text = dead_letter_table(dict(table.options))
    if not text.strip():
        return None
    own = table.identifier
    names = name_parts(text)
    names = (*(own.catalog, own.database)[: max(0, 3 - len(names))], *names)
    entry = binder.catalog.find(names) if len(names) == 3 else None
    if isinstance(entry, CatalogTable):
        check_dead_letters(entry)
        return entry
    why = "is a view" if isinstance(entry, CatalogView) else "is not there"
    message = f"table {text!r}, which takes dead letters of {own}, {why}"
    raise binder.source.error(node, message, "create it with CREATE TABLE before it is used")


def _unknown_table(binder: Binder, node: ast.TableRef, place: Place) -> Exception:
    name = ".".join(node.names)
    known = [*binder.catalog.names(node.names[-3:-1]), *place.around.ctes]
    remedy = did_you_mean(node.names[-1], known, "" if known else "create it with CREATE TABLE")
    return binder.source.error(node, f"table or view {name!r} not found", remedy)


@binds_relation(ast.Subquery)
def _query(binder: Binder, node: ast.Subquery, place: Place) -> From:
    around = replace(place.around, parent=place.outer) if node.lateral else place.around
    query = _as_table(binder.bind_query(binder, node.query, around))
    return _named(binder, query, node, node.alias, (), place)


def _as_table(query: Bound) -> Bound:
    """A query in FROM or WITH has no order; a view keeps its own, as in Flink."""
    return Bound(unordered(query.rel), query.names)


def _named(
    binder: Binder, query: Bound, node: ast.Relation, alias: ast.TableAlias | None, path: tuple[str, ...], place: Place
) -> From:
    """A query under its alias, or else its own name."""
    names, name = _alias(binder, alias, query.names)
    if name:
        path = (name,)
    if path:
        if path[-1] in place.named:
            raise binder.source.error(
                alias or node, f"duplicate relation name {path[-1]!r} in FROM clause", "give one of them another alias"
            )
        place.named.append(path[-1])
    columns = columns_of(names)
    rel = late_rows.with_hints(binder, node, query.rel, path[-1] if path else "", place)
    return From(rel, (Relation(path, columns),), columns)


def _alias(binder: Binder, alias: ast.TableAlias | None, names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if alias is None:
        return names, ""
    columns = [column.name for column in alias.columns]
    if columns and len(columns) != len(names):
        listed = ", ".join(map(repr, names))
        raise binder.source.error(
            alias,
            f"the table has {len(names)} column(s) ({listed}), the list of column aliases {len(columns)}",
            "name all columns, or none",
        )
    for at, column in enumerate(columns):
        if column in columns[:at]:
            raise binder.source.error(alias, f"column alias {column!r} is given twice", "give each column its own")
    return tuple(columns) or names, alias.name


# --- table functions ------------------------------------------------------------------------------------------------


@binds_relation(ast.Unnest)
def _unnest(binder: Binder, node: ast.Unnest, place: Place) -> From:
    if len(node.operands) != 1:
        raise binder.source.unsupported(node, "UNNEST of several collections", "join several UNNESTs")
    scope = Scope((), (), RowType(), place.outer, binder.names.correlation())
    operand = bind(binder, node.operands[0], Context(scope, place.around.ctes, "UNNEST"))
    alias = node.alias
    fields, names = _unnested(binder, node, type_of(operand), alias)
    if node.ordinality:
        fields = (*fields, Field("ORDINALITY", INT.not_null()))
        names = (*names, "ORDINALITY")
    row = RowType(fields=fields)
    name = "$UNNEST_ROWS_WITH_ORDINALITY$1" if node.ordinality else "$UNNEST_ROWS$1"
    rel = _called(binder, TableFunctionScan(row, Call(name, (operand,), row)), place)
    return _named(binder, Bound(rel, names), node, alias, (), place)


def _called(binder: Binder, rel: RelNode, place: Place) -> RelNode:
    """A table function's rows; without a left side it is called once, for a generated row."""
    if place.lateral is not None:
        return rel
    refs = tuple(InputRef(at + 1, item.type) for at, item in enumerate(rel.row_type.fields))
    return Project(Correlate(one_row(), rel, JoinKind.INNER, binder.names.correlation()), refs, rel.row_type)


def _user_function(binder: Binder, node: ast.TableFunction, place: Place, function: CatalogFunction) -> From:
    scope = Scope((), (), RowType(), place.outer, binder.names.correlation())
    context = Context(scope, place.around.ctes, f"an argument of {node.call.parts[-1].name}")
    rel = user_functions.bind_table_function(binder, node.call, context, function)
    return _named(binder, Bound(_called(binder, rel, place), rel.row_type.names), node, node.alias, (), place)


def _unnested(
    binder: Binder, node: ast.Unnest, type_: LogicalType, alias: ast.TableAlias | None
) -> tuple[tuple[Field, ...], tuple[str, ...]]:
    """The columns of an unnested collection: the function's fields, and their SQL names."""
    match type_:
        case MapType():
            return (Field("f0", type_.key), Field("f1", type_.value)), ("KEY", "VALUE")
        case ArrayType() | MultisetType():
            element = type_.element
        case _:
            raise binder.source.error(
                node.operands[0], f"UNNEST needs an ARRAY, MAP or MULTISET, not {type_}", "unnest a collection"
            )
    if isinstance(element, FieldsType):
        fields = tuple(
            Field(item.name, item.type.with_nullability(item.type.nullable or element.nullable))
            for item in element.fields
        )
        return fields, element.names
    return (Field("f0", element),), (alias.name if alias is not None and alias.name else "EXPR$0",)


@binds_relation(ast.TableFunction)
def _function(binder: Binder, node: ast.TableFunction, place: Place) -> From:
    name = node.call.name
    if binder.catalog.functions:
        user = user_functions.find_table_function(binder, node)
        if user is not None:
            return _user_function(binder, node, place, user)
    if name in WINDOW_TABLE_FUNCTIONS:
        return _over_table(binder, node, place, bind_window_table)
    if name in over_tables():
        module = import_module(f"{_OVER_TABLES}.{name.lower()}")
        return _over_table(binder, node, place, module.bind_call)
    known = [*WINDOW_TABLE_FUNCTIONS, *over_tables(), *binder.catalog.functions.names()]
    remedy = did_you_mean(name, known, "use UNNEST for collections")
    raise binder.source.error(node, f"no table function is named {node.call.parts[-1].name!r}", remedy)


_OVER_TABLES = f"{__package__}.over_tables"


@cache
def over_tables() -> frozenset[str]:
    """Names of the functions over a table; their modules are loaded on demand."""
    folder = find_spec(_OVER_TABLES)
    assert folder is not None
    return frozenset(module.name.upper() for module in iter_modules(folder.submodule_search_locations))


def _over_table(binder: Binder, node: ast.TableFunction, place: Place, bind_function: BindFunction) -> From:
    """A function over a table, whose name is not visible outside."""
    inside = late_rows.inside(place, replace(place.around, parent=place.outer))

    def bind_table(table: ast.Relation) -> Bound:
        bound = relation(binder, table, inside)
        return Bound(bound.rel, tuple(column.name for column in bound.visible))

    scope = Scope((), (), RowType(), place.outer, binder.names.correlation())
    context = Context(scope, place.around.ctes, f"an argument of {node.call.name}")
    query = bind_function(binder, node.call, context, bind_table)
    return _named(binder, query, node, node.alias, (), place)


@binds_relation(ast.MatchRecognize)
def _match_recognize(binder: Binder, node: ast.MatchRecognize, place: Place) -> From:
    source = relation(binder, node.relation, late_rows.inside(place, replace(place.around, parent=place.outer)))
    columns = tuple(column.name for column in source.visible)
    query = matches.bind_match(binder, node, Bound(source.rel, columns), place.around)
    return _named(binder, query, node, node.alias, (), place)
