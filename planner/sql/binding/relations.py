"""FROM: tables, views, joins, subqueries, UNNEST, LATERAL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from planner.algebra.expressions import TRUE, conjunction, is_true
from planner.algebra.nodes import (
    Correlate,
    Filter,
    Hint,
    Join,
    JoinKind,
    OuterRef,
    Project,
    RelNode,
    TableFunctionScan,
    Values,
    identity,
    join_row_type,
    named_row,
)
from planner.algebra.timed import Snapshot
from planner.algebra.traverse import outer_refs, unordered
from planner.catalog.tables import CatalogTable, CatalogView
from planner.functions import literals
from planner.functions.registry import resolve_call
from planner.sql import nodes as ast
from planner.sql.binding.core import Bound, Context, Session, Surroundings
from planner.sql.binding.expressions import bind, bind_condition
from planner.sql.binding.hints import bind_table_hints, ignore_hints, with_options
from planner.sql.binding.scans import scan
from planner.sql.binding.scopes import Relation, Scope, ScopeColumn, columns_of
from planner.sql.binding.temporal import bind_snapshot, join_snapshot
from planner.sql.binding.views import view_query
from planner.sql.binding.window_tables import WINDOW_TABLE_FUNCTIONS, bind_window_table
from planner.suggestions import did_you_mean
from plans.rex import Call, InputRef, RexNode, transform, type_of
from plans.types import INT, ArrayType, Field, FieldsType, LogicalType, MapType, MultisetType, RowType, row_of

if TYPE_CHECKING:
    from planner.catalog.functions import CatalogFunction

_KINDS = {
    "INNER": JoinKind.INNER,
    "CROSS": JoinKind.INNER,
    "COMMA": JoinKind.INNER,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
}


@dataclass(frozen=True)
class From:
    """A bound relation: its rows, the relations in it, and the columns of `*`, all by index in the row."""

    rel: RelNode
    relations: tuple[Relation, ...]
    visible: tuple[ScopeColumn, ...]

    @property
    def alias(self) -> tuple[str, ...]:
        """The name that stands for the whole of it; a join has none."""
        return tuple(item.name for item in self.relations) if len(self.relations) == 1 else ()

    def as_query(self) -> Bound:
        """The columns of `*` as a query."""
        scope = self.scope(self.rel.row_type, None, "")
        exprs = tuple(map(scope.reference, self.visible))
        names = tuple(column.name for column in self.visible)
        if exprs == identity(self.rel.row_type):
            return Bound(self.rel, names)
        return Bound(Project(self.rel, exprs, named_row(names, [type_of(rex) for rex in exprs])), names)

    def scope(self, row: RowType, parent: Scope | None, correlation: str) -> Scope:
        """The names of this relation, over `row`."""
        return Scope(self.relations, self.visible, row, parent, correlation)


@dataclass(frozen=True)
class Place:
    """Where a relation stands: what the query sees around it, the hints of its block, and what LATERAL sees."""

    around: Surroundings
    hints: tuple[Hint, ...] = ()
    lateral: Scope | None = None
    named: list[str] = field(default_factory=list)

    @property
    def outer(self) -> Scope | None:
        """The scope that names of UNNEST, functions and LATERAL queries are looked up in."""
        return self.lateral or self.around.parent


def bind_from(session: Session, node: exp.Expr | None, place: Place) -> From:
    """The rows that FROM gives; one row without columns where there is no FROM."""
    if node is None:
        return From(one_row(), (), ())
    return _relation(session, node.this, place)


def one_row() -> Values:
    """A single row of one constant."""
    return Values(row_of(["ZERO"], [INT.not_null()]), ((literals.integer(0),),))


def _relation(session: Session, node: exp.Expr, place: Place) -> From:
    binder = _BINDERS.get(type(node))
    if binder is None:
        raise session.source.unsupported(node, f"{type(node).__name__} in FROM")
    with session.source.at(node):
        return binder(session, node, place)


# --- tables, views, queries -----------------------------------------------------------------------------------------


def _table(session: Session, node: exp.Expr, place: Place) -> From:
    assert isinstance(node, ast.TableRef)
    found = _plain_table(session, node, place)
    if node.as_of is None:
        return found
    return replace(found, rel=bind_snapshot(session, node.as_of, found.rel, place.lateral, place.around))


def _bound(session: Session, node: exp.Expr, place: Place) -> From:
    assert isinstance(node, ast.BoundRelation)
    found = node.args["relation"]
    assert isinstance(found, From)
    if node.as_of is None:
        return found
    return replace(found, rel=bind_snapshot(session, node.as_of, found.rel, place.lateral, place.around))


def _plain_table(session: Session, node: ast.TableRef, place: Place) -> From:
    alias = node.table_alias
    named = alias is not None and bool(alias.name)
    if len(node.parts) == 1 and node.names[0] in place.around.ctes:
        if node.hints:
            ignore_hints(node.hints, session.source)
        query = _as_table(place.around.ctes[node.names[0]])
        return _named(session, query, node, alias, (node.names[0],), place)
    found = session.catalog.find(node.names)
    if found is None:
        raise _unknown_table(session, node, place)
    path = session.catalog.qualify(node.names)
    full = (path.catalog, path.database, path.name)
    if isinstance(found, CatalogView):
        if node.hints:
            raise session.source.error(
                node.hints[0], f"view {found.identifier} cannot take options", "hints can only be applied to tables"
            )
        return _named(session, view_query(session, found), node, alias, full, place)
    assert isinstance(found, CatalogTable)
    hints = bind_table_hints(node.hints, session.source)
    name = alias.name if alias is not None and named else node.names[-1]
    rel = scan(with_options(found, hints), name, hints)
    return _named(session, Bound(rel, rel.row_type.names), node, alias, full, place)


def _unknown_table(session: Session, node: ast.TableRef, place: Place) -> Exception:
    name = ".".join(node.names)
    known = [*session.catalog.names(), *place.around.ctes]
    remedy = did_you_mean(node.names[-1], known, "" if known else "create it with CREATE TABLE")
    return session.source.error(node, f"table or view {name!r} not found", remedy)


def _query(session: Session, node: exp.Expr, place: Place) -> From:
    lateral = bool(node.args.get("lateral"))
    around = replace(place.around, parent=place.outer) if lateral else place.around
    query = _as_table(session.bind_query(session, node.this, around))
    return _named(session, query, node, node.args.get("alias"), (), place)


def _as_table(query: Bound) -> Bound:
    """A query in FROM or WITH has no order; that of a view stays, as in Flink."""
    return Bound(unordered(query.rel), query.names)


def _named(
    session: Session, query: Bound, node: exp.Expr, alias: exp.Expr | None, path: tuple[str, ...], place: Place
) -> From:
    """A query under its alias, or else its own name."""
    names, name = _alias(session, alias, query.names)
    if name:
        path = (name,)
    if path:
        if path[-1] in place.named:
            raise session.source.error(
                alias or node, f"duplicate relation name {path[-1]!r} in FROM clause", "give one of them another alias"
            )
        place.named.append(path[-1])
    columns = columns_of(names)
    return From(query.rel, (Relation(path, columns),), columns)


def _alias(session: Session, alias: exp.Expr | None, names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if alias is None:
        return names, ""
    columns = [column.name for column in alias.args.get("columns") or []]
    if columns and len(columns) != len(names):
        listed = ", ".join(map(repr, names))
        raise session.source.error(
            alias,
            f"the table has {len(names)} column(s) ({listed}), the list of column aliases {len(columns)}",
            "name all columns, or none",
        )
    for at, column in enumerate(columns):
        if column in columns[:at]:
            raise session.source.error(alias, f"column alias {column!r} is given twice", "give each column its own")
    return tuple(columns) or names, alias.name


# --- joins ----------------------------------------------------------------------------------------------------------


def _join(session: Session, node: exp.Expr, place: Place) -> From:
    assert isinstance(node, ast.Join)
    node = _left_deep(node)
    kind = _KINDS.get(node.kind)
    if kind is None:
        raise session.source.error(
            node, f"{node.kind} JOIN is not part of Flink SQL", "write WHERE [NOT] EXISTS (SELECT ...)"
        )
    left = _relation(session, node.left, place)
    correlation = session.names.correlation()
    lateral = left.scope(left.rel.row_type, place.around.parent, correlation)
    right = _relation(session, node.right, replace(place, lateral=lateral))
    width = len(left.rel.row_type.fields)
    relations = left.relations + tuple(item.shifted(width) for item in right.relations)
    shifted = tuple(column.shifted(width) for column in right.visible)
    inner = join_row_type(left.rel.row_type, right.rel.row_type, JoinKind.INNER)
    both = Scope(relations, left.visible + shifted, inner, place.around.parent, session.names.correlation())
    common = _common(session, node, left.visible, shifted)
    condition = _condition(session, node, both, common, place)
    rel = _joined(session, node, left, right, kind, condition, correlation, place)
    visible = _visible(left.visible, shifted, common, kind)
    return From(rel, relations, visible)


def _left_deep(node: ast.Join) -> ast.Join:
    """`a, b JOIN f(a.x)` as `(a, b) JOIN f(a.x)`: what is called for each row sees all tables before it."""
    inner = node.right
    if node.kind != "COMMA" or not isinstance(inner, ast.Join) or inner.kind not in ("INNER", "CROSS", "LEFT"):
        return node
    if not isinstance(inner.right, ast.TableFunction | ast.Unnest) or inner.natural or inner.using:
        return node
    made, below = inner.copy(), ast.Join(left=node.left.copy(), right=inner.left.copy(), kind="COMMA")
    for join in (made, below):
        join.meta.update(node.meta)
    made.set("left", below)
    return made


def _joined(
    session: Session,
    node: ast.Join,
    left: From,
    right: From,
    kind: JoinKind,
    condition: RexNode,
    correlation: str,
    place: Place,
) -> RelNode:
    if isinstance(right.rel, Snapshot):
        return join_snapshot(session, node, left.rel, right.rel, kind, condition)
    correlated = bool(outer_refs(right.rel, correlation)) or _is_function(right.rel)
    if not correlated:
        hints = tuple(hint for hint in place.hints if hint.name in ("STATE_TTL", "MULTI_JOIN"))
        return Join(left.rel, right.rel, kind, condition, hints, left.alias, right.alias)
    if kind in (JoinKind.RIGHT, JoinKind.FULL):
        raise session.source.error(
            node,
            f"{node.kind} JOIN cannot have a right side that depends on the left",
            "use LEFT JOIN, CROSS JOIN, or a plain subquery",
        )
    if kind is JoinKind.INNER:
        found: RelNode = Correlate(left.rel, right.rel, kind, correlation)
        return found if is_true(condition) else Filter(found, condition)
    if is_true(condition):
        return Correlate(left.rel, right.rel, kind, correlation)
    # A condition of a LEFT JOIN belongs to the right side, where the left columns are those of the enclosing row.
    width = len(left.rel.row_type.fields)
    inside = transform(condition, lambda item: _to_right(item, width, correlation))
    return Correlate(left.rel, Filter(right.rel, inside), kind, correlation)


def _to_right(node: RexNode, width: int, correlation: str) -> RexNode:
    if not isinstance(node, InputRef):
        return node
    if node.index < width:
        return OuterRef(correlation, node.index, node.type)
    return InputRef(node.index - width, node.type)


def _is_function(rel: RelNode) -> bool:
    return isinstance(rel, TableFunctionScan)


def _common(
    session: Session, node: ast.Join, left: tuple[ScopeColumn, ...], right: tuple[ScopeColumn, ...]
) -> list[tuple[ScopeColumn, ScopeColumn]]:
    """The pairs of columns that NATURAL or USING joins by."""
    if node.natural:
        names = [column.name for column in left if any(other.name == column.name for other in right)]
        places: list[exp.Expr] = [node] * len(names)
    else:
        names = [column.name for column in node.using]
        places = list(node.using)
    return [
        (_only(session, name, left, place, "left"), _only(session, name, right, place, "right"))
        for name, place in zip(names, places, strict=True)
    ]


def _only(session: Session, name: str, columns: tuple[ScopeColumn, ...], node: exp.Expr, side: str) -> ScopeColumn:
    found = [column for column in columns if column.name == name]
    if not found:
        known = [column.name for column in columns]
        raise session.source.error(
            node, f"column {name!r} not found on the {side} side of the join", did_you_mean(name, known)
        )
    if len(found) > 1:
        raise session.source.error(node, f"column {name!r} is ambiguous on the {side} side of the join", "join with ON")
    return found[0]


def _condition(
    session: Session,
    node: ast.Join,
    both: Scope,
    common: list[tuple[ScopeColumn, ScopeColumn]],
    place: Place,
) -> RexNode:
    if node.on is not None:
        return bind_condition(session, node.on, Context(both, place.around.ctes, "ON clause"))
    parts = [resolve_call("=", [both.reference(left), both.reference(right)]) for left, right in common]
    if not parts and node.kind in ("INNER", "LEFT", "RIGHT", "FULL") and not node.natural:
        raise session.source.error(node, f"{node.kind} JOIN needs a condition", "add ON or USING")
    return conjunction(parts) if parts else TRUE


def _visible(
    left: tuple[ScopeColumn, ...],
    right: tuple[ScopeColumn, ...],
    common: list[tuple[ScopeColumn, ScopeColumn]],
    kind: JoinKind,
) -> tuple[ScopeColumn, ...]:
    """The columns of `*`: those joined by USING once and first, then the rest of both sides."""
    merged = tuple(
        one if kind in (JoinKind.INNER, JoinKind.LEFT) else replace(one, merged_with=other.index)
        for one, other in common
    )
    gone = {id(column) for pair in common for column in pair}
    return merged + tuple(column for column in (*left, *right) if id(column) not in gone)


# --- table functions ------------------------------------------------------------------------------------------------


def _unnest(session: Session, node: exp.Expr, place: Place) -> From:
    assert isinstance(node, ast.Unnest)
    if len(node.expressions) != 1:
        raise session.source.unsupported(node, "UNNEST of several collections", "join several UNNESTs")
    scope = Scope((), (), RowType(), place.outer, session.names.correlation())
    operand = bind(session, node.expressions[0], Context(scope, place.around.ctes, "UNNEST"))
    alias = node.table_alias
    fields, names = _unnested(session, node, type_of(operand), alias)
    if node.ordinality:
        fields = (*fields, Field("ORDINALITY", INT.not_null()))
        names = (*names, "ORDINALITY")
    row = RowType(fields=fields)
    name = "$UNNEST_ROWS_WITH_ORDINALITY$1" if node.ordinality else "$UNNEST_ROWS$1"
    rel = _called(session, TableFunctionScan(row, Call(name, (operand,), row)), place)
    return _named(session, Bound(rel, names), node, alias, (), place)


def _called(session: Session, rel: RelNode, place: Place) -> RelNode:
    """A table function's rows; where nothing stands to the left, it is called once, for a row made up for it."""
    if place.lateral is not None:
        return rel
    refs = tuple(InputRef(at + 1, item.type) for at, item in enumerate(rel.row_type.fields))
    return Project(Correlate(one_row(), rel, JoinKind.INNER, session.names.correlation()), refs, rel.row_type)


def _user_function(session: Session, node: ast.TableFunction, place: Place, function: CatalogFunction) -> From:
    from planner.sql.binding.table_functions import bind_table_function

    scope = Scope((), (), RowType(), place.outer, session.names.correlation())
    context = Context(scope, place.around.ctes, f"an argument of {node.call.parts[-1].name}")
    rel = bind_table_function(session, node.call, context, function)
    return _named(session, Bound(_called(session, rel, place), rel.row_type.names), node, node.table_alias, (), place)


def _unnested(
    session: Session, node: ast.Unnest, type_: LogicalType, alias: exp.Expr | None
) -> tuple[tuple[Field, ...], tuple[str, ...]]:
    """The columns that an unnested collection gives: the function's fields, and their names in SQL."""
    match type_:
        case MapType():
            return (Field("f0", type_.key), Field("f1", type_.value)), ("KEY", "VALUE")
        case ArrayType() | MultisetType():
            element = type_.element
        case _:
            raise session.source.error(
                node.expressions[0], f"UNNEST needs an ARRAY, MAP or MULTISET, not {type_}", "unnest a collection"
            )
    if isinstance(element, FieldsType):
        fields = tuple(
            Field(item.name, item.type.with_nullability(item.type.nullable or element.nullable))
            for item in element.fields
        )
        return fields, element.names
    return (Field("f0", element),), (alias.name if alias is not None and alias.name else "EXPR$0",)


def _function(session: Session, node: exp.Expr, place: Place) -> From:
    assert isinstance(node, ast.TableFunction)
    name = node.call.name
    if session.catalog.functions:
        from planner.sql.binding.table_functions import find_table_function

        user = find_table_function(session, node)
        if user is not None:
            return _user_function(session, node, place, user)
    if name in WINDOW_TABLE_FUNCTIONS:
        return _window_table(session, node, place)
    raise session.source.error(
        node, f"no table function is named {node.call.parts[-1].name!r}", "use UNNEST for collections"
    )


def _window_table(session: Session, node: ast.TableFunction, place: Place) -> From:
    """A window table function; the table inside has no name outside."""
    inside = Place(replace(place.around, parent=place.outer))

    def bind_table(table: exp.Expr) -> Bound:
        found = _relation(session, table, inside)
        return Bound(found.rel, tuple(column.name for column in found.visible))

    scope = Scope((), (), RowType(), place.outer, session.names.correlation())
    context = Context(scope, place.around.ctes, f"an argument of {node.call.name}")
    query = bind_window_table(session, node.call, context, bind_table)
    return _named(session, query, node, node.table_alias, (), place)


def _match_recognize(session: Session, node: exp.Expr, place: Place) -> From:
    from planner.sql.binding.matches import bind_match  # for programs with MATCH_RECOGNIZE alone

    assert isinstance(node, ast.MatchRecognize)
    source = _relation(session, node.this, Place(replace(place.around, parent=place.outer)))
    columns = tuple(column.name for column in source.visible)
    query = bind_match(session, node, Bound(source.rel, columns), place.around)
    return _named(session, query, node, node.table_alias, (), place)


_BINDERS: dict[type[exp.Expr], Callable[[Session, exp.Expr, Place], From]] = {
    ast.TableRef: _table,
    ast.BoundRelation: _bound,
    ast.Join: _join,
    ast.Unnest: _unnest,
    ast.TableFunction: _function,
    ast.MatchRecognize: _match_recognize,
    exp.Subquery: _query,
}
