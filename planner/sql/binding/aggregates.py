"""GROUP BY: grouping expressions and sets, and the Aggregate below a query block's other clauses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Hint, Project, RelNode, SetOp
from compiled_plan.planner.algebra.rex import OuterRef, Over, Subquery
from compiled_plan.planner.algebra.rows import identity, named_row, unique_name
from compiled_plan.planner.algebra.traverse import replace_outer
from compiled_plan.planner.algebra.windows import GroupWindowAggregate, Property
from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import AggregateRef, Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind, bind_value
from compiled_plan.planner.sql.binding.group_windows import GroupWindow, group_window, is_auxiliary, start_of
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, type_of, walk
from compiled_plan.plans.types import BIGINT, LogicalType, row_of

#: Calls that never return null, for any operands.
_NEVER_NULL = ("$IS ", "$COALESCE$1", "$IFNULL$1")


@dataclass(frozen=True)
class Clause:
    """A bound expression of a query block with its AST node and clause; `name` is its column's name."""

    rex: RexNode
    node: ast.Node
    name: str = ""


@dataclass(frozen=True)
class Grouping:
    """The grouping expressions and the grouping sets over their indices; one set for a plain GROUP BY.

    `repeats` holds the sets that were written twice, then those written three times, and so on: each repetition returns
    its groups once more.
    """

    keys: tuple[RexNode, ...]
    sets: tuple[tuple[int, ...], ...]
    repeats: tuple[tuple[tuple[int, ...], ...], ...] = ()


NO_GROUPING = Grouping((), ((),))


def has_keys(group: ast.GroupBy | None) -> bool:
    """Return True if GROUP BY has a set other than the empty one."""
    items = group.items if group is not None else ()
    return any(not (isinstance(item, ast.RowValue) and not item.items) for item in items)


def is_aggregate(rexes: Sequence[RexNode]) -> bool:
    """Return True if any of the expressions contains an aggregate call."""
    return any(isinstance(node, AggregateRef) for rex in rexes for node in walk(rex))


def bind_grouping(binder: Binder, group: ast.GroupBy, context: Context) -> Grouping:
    """The keys and sets of a GROUP BY.

    Raises:
        ProgramError: as for expressions.
    """
    keys: list[RexNode] = []

    def key(node: ast.Expression) -> int:
        rex = bind_value(binder, node, context)
        if rex not in keys:
            keys.append(rex)
        return keys.index(rex)

    def columns(node: ast.Expression) -> tuple[int, ...]:
        """Bind a key, or a parenthesised set of keys."""
        if isinstance(node, ast.RowValue) and not node.explicit:
            return tuple(dict.fromkeys(key(item) for item in node.items))
        return (key(node),)

    def alternatives(node: ast.Expression) -> list[tuple[int, ...]]:
        """The grouping sets of one item of GROUP BY."""
        if isinstance(node, ast.GroupingSets):
            return [key_set for item in node.items for key_set in alternatives(item)]
        if isinstance(node, ast.Rollup | ast.Cube):
            parts = [columns(item) for item in node.items]
            sizes = range(len(parts), -1, -1)
            if isinstance(node, ast.Rollup):
                chosen = [parts[:size] for size in sizes]
            else:
                chosen = [list(some) for size in sizes for some in combinations(parts, size)]
            sets = (tuple(sorted({index for part in some for index in part})) for some in chosen)
            return list(dict.fromkeys(sets))  # each set once, also for a key that is named twice, as in Flink
        return [columns(node)]

    combined = product(*[alternatives(item) for item in group.items])
    sets = [tuple(sorted({index for part in parts for index in part})) for parts in combined]
    distinct = tuple(dict.fromkeys(sets))
    if group.distinct:
        return Grouping(tuple(keys), distinct)
    most = max(map(sets.count, distinct))
    repeats = tuple(tuple(key_set for key_set in distinct if sets.count(key_set) > times) for times in range(1, most))
    return Grouping(tuple(keys), distinct, repeats)


class Grouped:
    """An Aggregate under construction; rewrites expressions over FROM's row to the Aggregate's row."""

    def __init__(
        self, binder: Binder, rel: RelNode, grouping: Grouping, context: Context, group: ast.GroupBy | None = None
    ) -> None:
        self._session = binder
        self._input = rel
        self._grouping = grouping
        self._context = context
        everywhere = set.intersection(*(set(key_set) for key_set in grouping.sets))
        self._key_types = tuple(
            type_of(key) if index in everywhere else type_of(key).with_nullability(True)
            for index, key in enumerate(grouping.keys)
        )
        self._calls: list[AggregateRef] = []
        self._window = group_window(binder, group, grouping.keys)
        self._where = binder.source.where(group)
        self._shown: set[Property] = set()
        if self._window is not None and (len(grouping.sets) > 1 or grouping.repeats):
            raise binder.source.unsupported(
                group, f"{self._window.window.kind.value} with several grouping sets", "use a window table function"
            )
        self._arguments: list[RexNode] = [self._time_of(key) for key in grouping.keys]

    def lift(self, clause: Clause) -> Clause:
        """Rewrite the clause to the Aggregate's row.

        Raises:
            ProgramError: it reads a column that is neither grouped nor aggregated.
        """
        return replace(clause, rex=self._lift(clause.rex, clause.node))

    def build(self, labels: Sequence[Clause], hints: tuple[Hint, ...]) -> RelNode:
        """The Aggregate over a Project of keys and arguments. `labels` name columns that the query selects directly.

        The expressions of `labels` are those before `lift`.
        """
        names = {clause.rex: clause.name for clause in labels}
        calls = [self._call(ref, names.get(ref) or f"agg#{at}") for at, ref in enumerate(self._calls)]
        taken: list[str] = []
        for at, rex in enumerate(self._arguments):
            taken.append(unique_name(self._column_name(rex, at, names), taken))
        source = self._input
        if self._arguments:
            row = row_of(taken, [type_of(rex) for rex in self._arguments])
            source = Project(source, tuple(self._arguments), row)
        keys = tuple(range(len(self._grouping.keys)))
        columns = list(taken[: len(keys)])
        for call in calls:
            columns.append(unique_name(call.column, columns))
        calls = [replace(call, column=name) for call, name in zip(calls, columns[len(keys) :], strict=True)]
        row = row_of(columns, [*self._key_types, *(call.type for call in calls)])
        if self._window is not None:
            return self._windowed(self._window, source, calls, columns)
        levels = [self._grouping.sets, *self._grouping.repeats]
        rels = tuple(
            Aggregate(source, keys, tuple(calls), row, () if sets == (keys,) else sets, hints, where=self._where)
            for sets in levels
        )
        return rels[0] if len(rels) == 1 else SetOp(rels, SetKind.UNION, True, row)

    def _time_of(self, key: RexNode) -> RexNode:
        """The expression that a key is computed from: for a window, its time."""
        window = self._window
        return window.time if window is not None and key == window.call else key

    def _windowed(
        self, window: GroupWindow, source: RelNode, calls: Sequence[AggregateCall], columns: Sequence[str]
    ) -> RelNode:
        """The aggregate by a window of GROUP BY, below a projection to keys, window properties and calls."""
        place = self._grouping.keys.index(window.call)
        keys = tuple(at for at in range(len(self._grouping.keys)) if at != place)
        shown = window.properties if self._shown else ()
        types = [window.property_type(kind) for _, kind in shown]
        names = [*(columns[at] for at in keys), *columns[len(self._grouping.keys) :], *(name for name, _ in shown)]
        row = named_row(names, [*(self._key_types[at] for at in keys), *(call.type for call in calls), *types])
        rel = GroupWindowAggregate(
            source, keys, tuple(calls), window.window, window.time_type, place, shown, row, where=self._where
        )
        refs = identity(row)
        following = iter(refs[: len(keys)])
        exprs: list[RexNode] = [
            start_of(window) if at == place else next(following) for at in range(len(self._grouping.keys))
        ]
        exprs += refs[len(keys) + len(calls) :] if shown else [start_of(window) for _ in window.properties]
        exprs += refs[len(keys) : len(keys) + len(calls)]
        width = len(self._grouping.keys)
        labels = [*columns[:width], *(name for name, _ in window.properties), *columns[width:]]
        return Project(rel, tuple(exprs), named_row(labels, [type_of(rex) for rex in exprs]))

    def _first_call(self) -> int:
        """The index of the first call in the row, behind keys and window properties."""
        return len(self._grouping.keys) + (0 if self._window is None else len(self._window.properties))

    def _property(self, rex: RexNode, node: ast.Node) -> RexNode:
        shown = None if self._window is None else self._window.shows(rex)
        if self._window is None or shown is None:
            raise self._session.source.error(
                node,
                "a function that shows a window must have a matching window function in GROUP BY",
                "write the same time and lengths in both",
            )
        self._shown.add(shown)
        kinds = [kind for _, kind in self._window.properties]
        return InputRef(len(self._grouping.keys) + kinds.index(shown), self._window.property_type(shown))

    def _column_name(self, rex: RexNode, at: int, names: dict[RexNode, str]) -> str:
        if isinstance(rex, InputRef):
            return self._input.row_type.names[rex.index]
        if self._window is not None and at < len(self._grouping.keys):
            return f"$f{at}"
        return names.get(rex) or f"$f{at}"

    def _call(self, ref: AggregateRef, name: str) -> AggregateCall:
        return AggregateCall(
            name=ref.name,
            args=tuple(self._argument(operand) for operand in ref.operands),
            type=ref.type,
            column=name,
            distinct=ref.distinct,
            filter=None if ref.filter is None else self._argument(_is_true(ref.filter)),
            ignore_nulls=ref.ignore_nulls,
            syntax=ref.syntax,
        )

    def _argument(self, rex: RexNode) -> int:
        if rex not in self._arguments:
            self._arguments.append(rex)
        return self._arguments.index(rex)

    def _lift(self, rex: RexNode, node: ast.Node) -> RexNode:
        if isinstance(rex, AggregateRef):
            return self._aggregate(rex, node)
        if is_auxiliary(rex):
            return self._property(rex, node)
        if rex in self._grouping.keys:
            index = self._grouping.keys.index(rex)
            return InputRef(index, self._key_types[index])
        if isinstance(rex, InputRef):
            raise self._not_grouped(rex, node)
        if isinstance(rex, Subquery):
            inner = replace_outer(rex, rex.name, lambda item: self._outer(item, node))
            rex = inner
        children = rex.children()
        lifted = tuple(self._lift(child, node) for child in children)
        if lifted == children:
            return rex
        return _renullified(rex.with_children(lifted), children, lifted)

    def _outer(self, item: OuterRef, node: ast.Node) -> RexNode:
        lifted = self._lift(InputRef(item.index, item.type), node)
        assert isinstance(lifted, InputRef)
        return OuterRef(item.name, lifted.index, lifted.type)

    def _aggregate(self, ref: AggregateRef, node: ast.Node) -> RexNode:
        if ref.sql == "GROUP_ID":
            if self._grouping.repeats:
                raise self._session.source.unsupported(node, "GROUP_ID of a grouping set that is written twice")
            return casts.cast(plan_literals.integer(0), BIGINT.not_null())
        if ref.name.startswith("$GROUPING"):
            for operand in ref.operands:
                if operand not in self._grouping.keys:
                    raise self._session.source.error(
                        node, f"an argument of {ref.sql} is no grouping expression", "name a column of GROUP BY"
                    )
            if len(self._grouping.sets) == 1 and not self._grouping.repeats:
                return casts.cast(plan_literals.integer(0), BIGINT.not_null())
        if ref not in self._calls:
            self._calls.append(ref)
            self._reserve(ref)
        return InputRef(self._first_call() + self._calls.index(ref), ref.type)

    def _reserve(self, ref: AggregateRef) -> None:
        for operand in ref.operands:
            self._argument(operand)
        if ref.filter is not None:
            self._argument(_is_true(ref.filter))

    def _not_grouped(self, rex: InputRef, node: ast.Node) -> Exception:
        parts = ast.walk(node, lambda part: isinstance(part, ast.Call))
        place = next((part for part in parts if isinstance(part, ast.ColumnRef) and self._reads(part, rex)), node)
        name = self._input.row_type.names[rex.index]
        return self._session.source.error(
            place, f"expression {name!r} is not being grouped", f"add {name} to GROUP BY, or aggregate it"
        )

    def _reads(self, node: ast.ColumnRef, rex: InputRef) -> bool:
        """Return True if a name resolves to the column `rex` (in a subquery it may belong to another query)."""
        try:
            return bind(self._session, node, self._context) == rex
        except CompiledPlanError:
            return False


def _is_true(rex: RexNode) -> RexNode:
    return resolve_call("IS TRUE", [rex]) if type_of(rex).nullable else rex


def _renullified(rex: RexNode, before: tuple[RexNode, ...], after: tuple[RexNode, ...]) -> RexNode:
    """`rex`, made nullable if a key that grouping sets omit made one of its operands nullable."""
    changed = [
        new for old, new in zip(before, after, strict=True) if type_of(new).nullable and not type_of(old).nullable
    ]
    if not changed or not isinstance(rex, Call | Over) or rex.type.nullable:
        return rex
    if rex.name.startswith(_NEVER_NULL) or (rex.name == "$CASE$1" and not _case_nullable(rex.children())):
        return rex
    type_: LogicalType = rex.type.with_nullability(True)
    return replace(rex, type=type_)


def _case_nullable(operands: tuple[RexNode, ...]) -> bool:
    values = [*operands[1:-1:2], operands[-1]]
    return any(type_of(value).nullable or (isinstance(value, Literal) and value.value is None) for value in values)
