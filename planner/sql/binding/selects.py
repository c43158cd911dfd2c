"""SELECT: its clauses in the order in which they take effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import contains
from compiled_plan.planner.algebra.nodes import Aggregate, Filter, Hint, Project, RelNode, Sort, SortKey
from compiled_plan.planner.algebra.rex import Over, Subquery
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.algebra.traverse import replace_outer
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.aggregates import (
    NO_GROUPING,
    Clause,
    Grouped,
    bind_grouping,
    has_keys,
    is_aggregate,
)
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context, StarColumn, Surroundings
from compiled_plan.planner.sql.binding.expressions import bind, bind_condition, bind_value
from compiled_plan.planner.sql.binding.from_clause import From, Place, bind_from
from compiled_plan.planner.sql.binding.hints import STATE_TTL, bind_block_hints, check_names
from compiled_plan.planner.sql.binding.late_rows import check_hints as check_late_rows
from compiled_plan.planner.sql.binding.scopes import ScopeColumn, find_relation, outer
from compiled_plan.planner.sql.binding.windows import check_sortable, directions
from compiled_plan.plans.rex import FieldAccess, InputRef, RexNode, type_of
from compiled_plan.plans.types import FieldsType, row_of


@dataclass(frozen=True)
class Order:
    """One key of ORDER BY: an index among the select items, or an expression of its own."""

    node: ast.Ordered
    item: int | None = None
    clause: Clause | None = None


def bind_select(binder: Binder, node: ast.Select, around: Surroundings) -> Bound:
    """Bind a SELECT with its ORDER BY, as a Sort whose row may have extra columns behind the selected ones.

    The caller adds OFFSET and FETCH, and removes the extra columns.
    """
    hints = bind_block_hints(node.hints, binder.source)
    place = Place(around, hints)
    source = bind_from(binder, node.source, place)
    check_late_rows(hints, place)
    correlation = binder.names.correlation()
    scope = source.scope(source.rel.row_type, around.parent, correlation)
    rel = source.rel
    plain = Context(scope, around.ctes, "WHERE clause", windows=_windows(binder, node))
    if node.where is not None:
        rel = Filter(rel, bind_condition(binder, node.where, plain), where=binder.source.where(node.where))
    block = _Block(binder, node, plain, source, hints)
    return block.build(rel)


def _windows(binder: Binder, node: ast.Select) -> dict[str, ast.WindowSpec]:
    windows: dict[str, ast.WindowSpec] = {}
    for item in node.windows:
        if item.name.name in windows:
            raise binder.source.error(item, f"window {item.name.name!r} is declared twice")
        windows[item.name.name] = item.spec
    return windows


def ordinal(binder: Binder, node: ast.Expression, width: int) -> int | None:
    """The column index of an ordinal in ORDER BY, from 0; None for another expression.

    Raises:
        ProgramError: there are fewer columns.
    """
    if not isinstance(node, ast.Constant) or node.is_string or not node.text.isdecimal():
        return None
    number = int(node.text)
    if not 1 <= number <= width:
        raise binder.source.error(node, f"ordinal {number} is out of range", f"write a number from 1 to {width}")
    return number - 1


class _Block:
    """One SELECT after WHERE: grouping, HAVING, the select list, QUALIFY, DISTINCT, ORDER BY."""

    def __init__(self, binder: Binder, node: ast.Select, plain: Context, source: From, hints: tuple[Hint, ...]) -> None:
        self._session = binder
        self._node = node
        self._plain = plain
        self._source = source
        self._hints = hints
        grouped = has_keys(node.group)
        self._select = replace(plain, clause="SELECT list", aggregates=True, over=True, grouped=grouped)

    def build(self, rel: RelNode) -> Bound:
        items = list(self._items())
        having = self._condition(self._node.having, replace(self._select, clause="HAVING clause", over=False))
        qualify = self._condition(
            self._node.qualify, replace(self._select, clause="QUALIFY clause"), self._without_aliases
        )
        if qualify is not None and not contains(qualify.rex, Over):
            raise self._session.source.error(
                qualify.node, "a condition of QUALIFY must contain a window function", "write it in WHERE or HAVING"
            )
        order = self._order(items)
        plain = rel
        rel, items, having, qualify, order = self._aggregated(rel, items, having, qualify, order)
        hints = self._aggregate_hints() if rel is plain else ()  # of a block's two aggregates, GROUP BY has the hint
        if having is not None:
            rel = Filter(rel, having.rex, where=self._session.source.where(having.node))
        if qualify is not None:
            rel, items, order = self._qualified(rel, items, qualify, order)
        return self._projected(rel, items, order, hints)

    # --- clauses

    def _items(self) -> Iterator[Clause]:
        """The select list with stars expanded; a column without a name is `EXPR$` and its position."""
        at = 0
        for node in self._node.items:
            for clause in self._item(node):
                yield clause if clause.name else replace(clause, name=f"EXPR${at}")
                at += 1

    def _item(self, node: ast.Expression) -> Iterator[Clause]:
        if isinstance(node, ast.AllColumns):
            yield from self._star(node)
            return
        if isinstance(node, ast.FieldAccess) and isinstance(node.field, ast.AllColumns):
            yield from self._fields(bind(self._session, node.operand, self._select), node)
            return
        name = ""
        inner = node
        if isinstance(node, ast.Alias):
            name, inner = node.name.name, node.value
        elif isinstance(node, ast.ColumnRef) or (isinstance(node, ast.Call) and node.bare):
            name = node.parts[-1].name
        yield Clause(bind_value(self._session, inner, self._select), inner, name)

    def _star(self, node: ast.AllColumns) -> Iterator[Clause]:
        scope = self._plain.scope
        if not node.parts:
            if not scope.visible:
                raise self._session.source.error(node, "`*` needs a FROM clause", "add FROM")
            self._check_star(node)
            owners = {column: relation.path for relation in scope.relations for column in relation.columns}
            visible = [((owners.get(column, ()), column.name), column) for column in scope.visible]
            for column in self._of_star(node, visible):
                yield Clause(scope.reference(column), node, column.name)
            return
        for level in scope.chain():
            relation = find_relation(node.parts, level, self._session.source, node)
            if relation is not None:
                for column in self._of_star(node, [(((), column.name), column) for column in relation.columns]):
                    rex: RexNode = level.at(column.index)
                    yield Clause(rex if level is scope else outer(rex, level.correlation), node, column.name)
                return
        reference = ast.ColumnRef(node.parts, span=node.span, python=node.python)
        yield from self._fields(bind(self._session, reference, self._select), node)

    def _of_star(
        self, node: ast.AllColumns, columns: Sequence[tuple[StarColumn, ScopeColumn]]
    ) -> Iterator[ScopeColumn]:
        """The columns of a star; in a view those that it had when the view was created."""
        keys = tuple(key for key, _ in columns)
        stars = self._session.stars
        stored = keys if stars is None or node.span is None else stars.setdefault(node.span, keys)
        if stored == keys:
            yield from (column for _, column in columns)
            return
        known = dict(columns)
        for key in stored:
            if key not in known:
                raise self._session.source.error(node, f"column {key[1]!r} not found", "ALTER VIEW ... AS the query")
            yield known[key]

    def _check_star(self, node: ast.Node) -> None:
        """Raise for `*` over a query with duplicate column names: Flink expands `*` to names."""
        for relation in self._plain.scope.relations:
            names = [column.name for column in relation.columns]
            for name in names:
                if names.count(name) > 1:
                    raise self._session.source.error(node, f"column {name!r} is ambiguous", "give the columns aliases")

    def _fields(self, rex: RexNode, node: ast.Node) -> Iterator[Clause]:
        row = type_of(rex)
        if not isinstance(row, FieldsType):
            raise self._session.source.error(node, f"`.*` needs a ROW, not {row}", "select the column itself")
        for name in row.names:
            yield Clause(FieldAccess(rex, name), node, name)

    def _condition(
        self,
        node: ast.Expression | None,
        context: Context,
        meaning: Callable[[ast.Expression], ast.Expression] = lambda node: node,
    ) -> Clause | None:
        return None if node is None else Clause(bind_condition(self._session, meaning(node), context), node)

    def _without_aliases(self, node: ast.Expression) -> ast.Expression:
        """Replace aliases of the select list in an expression by their definitions, except in subqueries."""
        named: dict[str, ast.Expression] = {}
        for item in self._node.items:
            if isinstance(item, ast.Alias):
                named.setdefault(item.name.name, item.value)
            elif isinstance(item, ast.ColumnRef):
                named.setdefault(item.name, item)

        def change(part: ast.Node) -> ast.Node | None:
            if isinstance(part, ast.ColumnRef) and len(part.parts) == 1:
                return named.get(part.name)
            return part if isinstance(part, ast.QueryNode) else None

        return ast.rewrite(node, change)

    def _order(self, items: Sequence[Clause]) -> list[Order]:
        """The keys of ORDER BY: an ordinal, an alias of the select list, or an expression over FROM."""
        return [self._key(node, items) for node in (self._node.order.keys if self._node.order is not None else ())]

    def _key(self, node: ast.Ordered, items: Sequence[Clause]) -> Order:
        inner = node.operand
        at = ordinal(self._session, inner, len(items))
        if at is not None:
            return Order(node, at)
        if isinstance(inner, ast.ColumnRef) and len(inner.parts) == 1:
            named = [index for index, item in enumerate(items) if item.name == inner.name]
            if named:
                return Order(node, named[0])
        meaning = self._without_aliases(inner)
        rex = bind_value(self._session, meaning, replace(self._select, clause="ORDER BY clause"))
        same = [index for index, item in enumerate(items) if item.rex == rex]
        if same:
            return Order(node, same[0])
        return Order(node, None, Clause(rex, inner))

    # --- steps

    def _aggregated(
        self,
        rel: RelNode,
        items: list[Clause],
        having: Clause | None,
        qualify: Clause | None,
        order: list[Order],
    ) -> tuple[RelNode, list[Clause], Clause | None, Clause | None, list[Order]]:
        """The Aggregate, and all clauses over its row; unchanged without aggregation."""
        group = self._node.group
        clauses = [*items, *(part for part in (having, qualify) if part), *(key.clause for key in order if key.clause)]
        if group is None and having is None and not is_aggregate([clause.rex for clause in clauses]):
            check = [hint for hint in self._hints if self._has_joins()]
            check_names(check, self._names())
            return rel, items, having, qualify, order
        grouping = NO_GROUPING if group is None else bind_grouping(self._session, group, self._grouping_context())
        check_names(self._hints, self._names())
        grouped = Grouped(self._session, rel, grouping, self._plain, group)
        lifted = [grouped.lift(clause) for clause in items]
        having = None if having is None else grouped.lift(having)
        qualify = None if qualify is None else grouped.lift(qualify)
        order = [key if key.clause is None else replace(key, clause=grouped.lift(key.clause)) for key in order]
        return grouped.build(items, self._aggregate_hints()), lifted, having, qualify, order

    def _grouping_context(self) -> Context:
        return replace(self._plain, clause="GROUP BY clause")

    def _has_joins(self) -> bool:
        return len(self._source.relations) > 1

    def _names(self) -> list[str]:
        return [relation.name for relation in self._source.relations]

    def _aggregate_hints(self) -> tuple[Hint, ...]:
        """STATE_TTL applies to the aggregate of a block with one input; in a block with a join only to the join."""
        if self._has_joins():
            return ()
        return tuple(hint for hint in self._hints if hint.name == STATE_TTL)

    def _qualified(
        self, rel: RelNode, items: list[Clause], qualify: Clause, order: list[Order]
    ) -> tuple[RelNode, list[Clause], list[Order]]:
        """QUALIFY: a filter over a projection with its window functions as columns, as in a subquery."""
        names = rel.row_type.names
        columns: list[Clause] = []

        def add(clause: Clause) -> InputRef:
            columns.append(clause)
            return InputRef(len(columns) - 1, type_of(clause.rex))

        def column(rex: RexNode) -> InputRef:
            for at, clause in enumerate(columns):
                if clause.rex == rex:
                    return InputRef(at, type_of(rex))
            return add(
                Clause(rex, qualify.node, names[rex.index] if isinstance(rex, InputRef) else "QualifyExpression")
            )

        def over_columns(rex: RexNode) -> RexNode:
            if isinstance(rex, InputRef | Over) or any(clause.rex == rex for clause in columns):
                return column(rex)
            if isinstance(rex, Subquery):
                rex = replace_outer(
                    rex, rex.name, lambda ref: replace(ref, index=column(InputRef(ref.index, ref.type)).index)
                )
            children = rex.children()
            return rex.with_children(tuple(map(over_columns, children))) if children else rex

        def lifted(clause: Clause) -> Clause:
            inside = contains(clause.rex, Over) and not isinstance(clause.rex, Over)
            return replace(clause, rex=over_columns(clause.rex) if inside else add(clause))

        items = [lifted(item) for item in items]
        order = [key if key.clause is None else replace(key, clause=lifted(key.clause)) for key in order]
        condition = over_columns(qualify.rex)
        rel = Filter(_project(rel, columns), condition)
        return rel, items, order

    def _projected(self, rel: RelNode, items: list[Clause], order: list[Order], hints: tuple[Hint, ...]) -> Bound:
        names = tuple(item.name for item in items)
        distinct = self._node.distinct
        extra: list[Clause] = []
        keys: list[SortKey] = []
        for key in order:
            index = key.item
            if index is None:
                assert key.clause is not None
                if distinct:
                    self._check_distinct(key.clause, items)
                known = [clause.rex for clause in extra]
                if key.clause.rex not in known:
                    at = len(items) + len(extra)
                    extra.append(replace(key.clause, name=_name_of(key.clause, f"EXPR${at}")))
                    known.append(key.clause.rex)
                index = len(items) + known.index(key.clause.rex)
            check_sortable(self._session, key.node, [*items, *extra][index].rex)
            keys.append(SortKey(index, *directions(key.node)))
        rel = _project(rel, [*items, *extra])
        if distinct:
            check_names(self._hints, self._names())
            row = rel.row_type
            rel = Aggregate(rel, tuple(range(len(row.fields))), (), row, (), hints)
        if keys:
            rel = Sort(rel, tuple(keys), where=self._session.source.where(self._node.order))
        return Bound(rel, names)

    def _check_distinct(self, clause: Clause, items: list[Clause]) -> None:
        """Raise for DISTINCT with a sort key that is not computed from selected expressions."""
        selected = [item.rex for item in items]

        def is_computed(rex: RexNode) -> bool:
            if rex in selected:
                return True
            return not isinstance(rex, InputRef) and all(is_computed(child) for child in rex.children())

        if not is_computed(clause.rex):
            raise self._session.source.error(
                clause.node, "with SELECT DISTINCT, ORDER BY must use selected expressions", "add it to the select list"
            )


def _name_of(clause: Clause, otherwise: str) -> str:
    return clause.node.name if isinstance(clause.node, ast.ColumnRef) else otherwise


def _project(rel: RelNode, clauses: Sequence[Clause]) -> RelNode:
    """The clauses as columns with unique names; the input itself if it has exactly these."""
    taken: list[str] = []
    for clause in clauses:
        taken.append(unique_name(clause.name, taken))
    exprs = tuple(clause.rex for clause in clauses)
    if exprs == identity(rel.row_type) and tuple(taken) == rel.row_type.names:
        return rel
    return Project(rel, exprs, row_of(taken, [type_of(rex) for rex in exprs]))
