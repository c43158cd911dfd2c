"""Queries: WITH, SELECT, set operations, VALUES, ORDER BY and LIMIT around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import Project, RelNode, SetOp, Sort, SortKey, Values
from compiled_plan.planner.algebra.rex import OuterRef, Subquery
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.functions import casts, fold
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding import calls, joins, jsons, predicates, relations, selects
from compiled_plan.planner.sql.binding import literals as values
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context, Surroundings
from compiled_plan.planner.sql.binding.expressions import bind, bind_value
from compiled_plan.planner.sql.binding.from_clause import BoundRelation, one_row
from compiled_plan.planner.sql.binding.scopes import Scope, columns_of
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.windows import check_sortable, directions
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.rex import InputRef, RexNode, type_of, walk
from compiled_plan.plans.types import LogicalType, NullType, RowType, row_of

#: Imported to register the binders of expressions, function calls, and relations in FROM.
_REGISTERED = (calls, joins, jsons, predicates, relations, values)


def new_binder(source: SourceText, catalog: Catalog) -> Binder:
    """A binder for the script `source`."""
    return Binder(source, catalog, bind_query)


@deeply
def bind_query(binder: Binder, node: ast.QueryNode, around: Surroundings) -> Bound:
    """Bind a query inside its surroundings.

    Raises:
        ProgramError: names, types or structure are wrong; with line, column and caret.
        UnsupportedError: a construct that is not supported.
    """
    handler = _BINDERS.get(type(node))
    if handler is None:
        raise binder.source.unsupported(node, f"{type(node).__name__} as a query")
    with binder.source.at(node):
        return handler(binder, node, _with(binder, node, around))


def _with(binder: Binder, node: ast.QueryNode, around: Surroundings) -> Surroundings:
    """The surroundings extended by the node's WITH queries, each bound once, however often it is read."""
    clause = node.with_
    if clause is None:
        return around
    ctes = dict(around.ctes)
    for item in clause.queries:
        if clause.recursive:
            _check_recursion(binder, item)
        query = binder.bind_query(binder, item.query, Surroundings(around.parent, dict(ctes)))
        alias = item.alias
        columns = tuple(column.name for column in alias.columns)
        if columns and len(columns) != len(query.names):
            raise binder.source.error(
                alias,
                f"number of columns must match: {alias.name!r} names {len(columns)}, its query has {len(query.names)}",
                "name all columns, or none",
            )
        ctes[alias.name] = Bound(query.rel, columns or query.names)
    return Surroundings(around.parent, ctes)


def _check_recursion(binder: Binder, item: ast.WithQuery) -> None:
    """Refuse a UNION that reads its own name; anywhere else the name is that of a table, as in Flink."""
    if isinstance(item.query, ast.SetOperation):
        for part in ast.walk(item.query):
            if isinstance(part, ast.TableRef) and part.names == (item.alias.name,):
                raise binder.source.unsupported(
                    part,
                    f"the recursive query {item.alias.name!r}",
                    "join the table with itself once for each level, in a UNION ALL; Flink refuses recursion, too",
                )


# --- queries in parentheses, set operations, VALUES -----------------------------------------------------------------


def _parenthesised(binder: Binder, node: ast.Subquery, around: Surroundings) -> Bound:
    return _ordered(binder, node, binder.bind_query(binder, node.query, around), around)


_KINDS = {"UNION": SetKind.UNION, "INTERSECT": SetKind.INTERSECT, "EXCEPT": SetKind.MINUS}


def _set_operation(binder: Binder, node: ast.SetOperation, around: Surroundings) -> Bound:
    return _ordered(binder, node, _combined(binder, node, around), around)


def _combined(binder: Binder, node: ast.SetOperation, around: Surroundings) -> Bound:
    kind, every = _KINDS[node.operator], not node.distinct
    word = node.operator + (" ALL" if every else "")
    left = binder.bind_query(binder, node.left, around)
    right = binder.bind_query(binder, node.right, around)
    if len(left.names) != len(right.names):
        raise binder.source.error(
            node.right,
            f"column count mismatch in {word}: {len(left.names)} on the left, {len(right.names)} on the right",
            "select the same number of columns on both sides",
        )
    types: list[LogicalType] = []
    for at, pair in enumerate(zip(left.types, right.types, strict=True)):
        common = casts.least_restrictive(pair)
        if common is None:
            raise binder.source.error(
                node.right,
                f"type mismatch in column {at + 1} of {word}: {pair[0]} and {pair[1]}",
                "CAST one side to the type of the other",
            )
        types.append(common)
    row = row_of(left.rel.row_type.names, types)
    inputs = tuple(_cast_columns(side.rel, row) for side in (left, right))
    flat = tuple(part for item in inputs for part in _parts(item, kind, every, row))
    return Bound(SetOp(flat, kind, every, row), left.names)


def _parts(rel: RelNode, kind: SetKind, every: bool, row: RowType) -> tuple[RelNode, ...]:
    """The inputs of nested UNION ALLs, flattened into one node."""
    same = isinstance(rel, SetOp) and rel.kind is kind is SetKind.UNION and rel.all and every
    return rel.sources if same and isinstance(rel, SetOp) and rel.columns.types == row.types else (rel,)


def _cast_columns(rel: RelNode, row: RowType) -> RelNode:
    """The rows with columns cast to the types of `row`, except nullability."""
    here = rel.row_type
    exprs = tuple(
        casts.coerce(InputRef(at, type_), target)
        for at, (type_, target) in enumerate(zip(here.types, row.types, strict=True))
    )
    if exprs == identity(here):
        return rel
    return Project(rel, exprs, row_of(here.names, [type_of(rex) for rex in exprs]))


def _values(binder: Binder, node: ast.Values, around: Surroundings) -> Bound:
    scope = Scope((), (), RowType(), around.parent, binder.names.correlation())
    context = Context(scope, around.ctes, "VALUES")
    rows = [[bind(binder, cell, context) for cell in row.items] for row in node.rows]
    width = len(rows[0])
    for row, written in zip(rows, node.rows, strict=True):
        if len(row) != width:
            raise binder.source.error(
                written, f"VALUES rows differ in width: {width} value(s) in the first, {len(row)} here"
            )
    names = tuple(f"EXPR${at}" for at in range(width))
    types = [_column_type(binder, node, [row[at] for row in rows], at) for at in range(width)]
    columns = row_of(names, types)
    cells = tuple(
        tuple(fold.fold(casts.coerce(cell, type_)) for cell, type_ in zip(row, types, strict=True)) for row in rows
    )
    return _ordered(binder, node, Bound(_rows(cells, columns), names), around)


def _column_type(binder: Binder, node: ast.Values, cells: list[RexNode], at: int) -> LogicalType:
    for cell, row in zip(cells, node.rows, strict=True):
        if isinstance(type_of(cell), NullType):
            raise binder.source.error(
                row.items[at], "illegal use of NULL: its type is unknown here", "write CAST(NULL AS type)"
            )
    common = casts.least_restrictive([type_of(cell) for cell in cells])
    if common is None:
        listed = ", ".join(dict.fromkeys(str(type_of(cell)) for cell in cells))
        raise binder.source.error(node, f"VALUES column {at + 1} has incompatible types: {listed}", "CAST the values")
    return common


def _rows(cells: tuple[tuple[RexNode, ...], ...], columns: RowType) -> RelNode:
    """Constant rows as Values; rows with subqueries as a UNION ALL of single-row projections."""
    if not any(isinstance(part, Subquery | OuterRef) for row in cells for cell in row for part in walk(cell)):
        return Values(columns, cells)
    sources = tuple(Project(one_row(), row, columns) for row in cells)
    return sources[0] if len(sources) == 1 else SetOp(sources, SetKind.UNION, True, columns)


def _bound(binder: Binder, node: BoundRelation, around: Surroundings) -> Bound:
    return node.relation.as_query()


def _select(binder: Binder, node: ast.Select, around: Surroundings) -> Bound:
    bound = selects.bind_select(binder, node, around)
    return _limited(binder, node, bound)


# --- ORDER BY, OFFSET, FETCH ----------------------------------------------------------------------------------------


def _ordered(binder: Binder, node: ast.QueryNode, query: Bound, around: Surroundings) -> Bound:
    """ORDER BY and LIMIT of queries other than SELECT: keys are ordinals, or expressions over the query's columns."""
    if node.order is None:
        return _limited(binder, node, query)
    row = query.rel.row_type
    scope = Scope((), columns_of(query.names), row, around.parent, binder.names.correlation())
    context = Context(scope, around.ctes, "ORDER BY clause")
    exprs: list[RexNode] = list(identity(row))
    keys: list[SortKey] = []
    for item in node.order.keys:
        at = selects.ordinal(binder, item.operand, len(query.names))
        rex = exprs[at] if at is not None else bind_value(binder, item.operand, context)
        if rex not in exprs:
            exprs.append(rex)
        check_sortable(binder, item, rex)
        keys.append(SortKey(exprs.index(rex), *directions(item)))
    rel = query.rel
    if len(exprs) > len(row.fields):
        names = list(row.names)
        for at in range(len(names), len(exprs)):
            names.append(unique_name(f"EXPR${at}", names))
        rel = Project(rel, tuple(exprs), row_of(names, [type_of(rex) for rex in exprs]))
    return _limited(binder, node, Bound(rel, query.names), tuple(keys))


def _limited(binder: Binder, node: ast.QueryNode, query: Bound, keys: tuple[SortKey, ...] = ()) -> Bound:
    """Add the sort and limit, and remove columns that only the sort reads."""
    rel = query.rel
    offset, fetch = node.offset or 0, node.limit
    if isinstance(rel, Sort) and not keys and not rel.offset and rel.fetch is None and _is_select(node):
        keys, rel = rel.keys, rel.input
    if keys or offset or fetch is not None:
        rel = Sort(rel, keys, offset, fetch, where=binder.source.where(node.order) or binder.source.where(node))
    width = len(query.names)
    row = rel.row_type
    if len(row.fields) > width:
        rel = Project(rel, identity(row)[:width], RowType(fields=row.fields[:width]))
    return Bound(rel, query.names)


def _is_select(node: ast.QueryNode) -> bool:
    """Return True if a query's top-level Sort without limit is its own ORDER BY (and not that of a query in FROM)."""
    return isinstance(node, ast.Select) and node.order is not None


_BINDERS: dict[type[ast.QueryNode], Callable[[Binder, Any, Surroundings], Bound]] = {
    ast.Select: _select,
    ast.Subquery: _parenthesised,
    ast.SetOperation: _set_operation,
    ast.Values: _values,
    BoundRelation: _bound,
}
