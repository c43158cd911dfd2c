"""Split of DISTINCT aggregates into two, so that a hot group is distributed over many tasks.

The first aggregates by the groups and by buckets of the distinct values, the second merges the buckets. Applied if
`table.optimizer.distinct-agg.split.enabled` is set and every function of an aggregate can be merged from parts.

Source: Flink's "Performance Tuning" page, "Split Distinct Aggregation"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import bigint, conjunction, equals, null_of
from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Expand, Project, RelNode
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.aggregates import sum_type
from compiled_plan.planner.functions.casts import cast
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.options.settings import Settings
from compiled_plan.plans.rex import Call, InputRef, RexNode, type_of
from compiled_plan.plans.types import BIGINT, Field, LogicalType, RowType, row_of

_COUNT, _SUM0, _AVG = "$COUNT$1", "$$SUM0$1", "$AVG$1"
#: A function -> the function that merges its parts.
_FINAL = {
    _COUNT: _SUM0,
    _SUM0: _SUM0,
    "$SUM$1": "$SUM$1",
    "$MIN$1": "$MIN$1",
    "$MAX$1": "$MAX$1",
    "$LISTAGG$1": "$LISTAGG$1",
    "$FIRST_VALUE$1": "$FIRST_VALUE$1",
    "$LAST_VALUE$1": "$LAST_VALUE$1",
}
#: Functions whose values are bucketed too: they need not see all rows of a group at once.
_SPREAD = ("$MIN$1", "$MAX$1", "$FIRST_VALUE$1", "$LAST_VALUE$1")


def split_distinct(trees: Sequence[RelNode], settings: Settings) -> tuple[RelNode, ...]:
    """The trees with split DISTINCT aggregates; the program's options have the number of buckets."""
    buckets = int(settings.value("table.optimizer.distinct-agg.split.bucket-num"))

    def change(node: RelNode) -> RelNode:
        return _split(node, buckets) if isinstance(node, Aggregate) else node

    return tuple(rewrite_shared(tree, change) for tree in trees)


def _split(rel: Aggregate, buckets: int) -> RelNode:
    can = all(call.name == _AVG or (call.name in _FINAL and len(call.args) <= 1) for call in rel.calls)
    if not any(call.distinct for call in rel.calls) or not can or len(rel.grouping_sets) > 1 or rel.split:
        return rel
    return _Split(rel, buckets).result()


@dataclass(frozen=True)
class _Part:
    """A call of the first aggregate, the column that it is bucketed by, and the call that merges it."""

    call: AggregateCall
    spread: int | None
    final: str


class _Split:
    def __init__(self, rel: Aggregate, buckets: int) -> None:
        self._rel = rel
        self._given = rel.input.row_type
        spread = {arg for call in rel.calls if _is_spread(call) for arg in call.args} - set(rel.grouping)
        self._spread = sorted(spread)
        self._buckets = buckets
        self._parts = [self._parts_of(call) for call in rel.calls]

    def _parts_of(self, call: AggregateCall) -> list[_Part]:
        column = next((arg for arg in call.args if _is_spread(call) and arg in self._spread), None)
        unnamed = replace(call, column="")
        if call.name != _AVG:
            return [_Part(unnamed, column, _FINAL[call.name])]
        total = replace(unnamed, name=_SUM0, type=sum_type(call.type).not_null())
        count = replace(unnamed, name=_COUNT, type=BIGINT.not_null(), syntax="FUNCTION_STAR")
        return [_Part(total, column, _SUM0), _Part(count, column, _SUM0)]

    def result(self) -> RelNode:
        """The two aggregates, below the columns of the original one."""
        first = self._first()
        count = len(self._rel.grouping)
        below = count + len(self._spread)
        calls: list[AggregateCall] = []
        for at, part in enumerate(part for parts in self._parts for part in parts):
            index = below + at
            type_ = first.row_type.types[index]
            calls.append(AggregateCall(part.final, (index,), _final_type(part, type_), ""))
        own = first.row_type.fields[:count]
        final = Aggregate(
            first,
            tuple(range(count)),
            tuple(calls),
            _row(own, [call.type for call in calls]),
            (),
            self._rel.hints,
            split=True,
        )
        return self._output(final)

    def _output(self, final: Aggregate) -> RelNode:
        refs = identity(final.row_type)
        count = len(self._rel.grouping)
        exprs: list[RexNode] = list(refs[:count])
        following = iter(refs[count:])
        for call, parts in zip(self._rel.calls, self._parts, strict=True):
            values = [next(following) for _ in parts]
            exprs.append(values[0] if len(values) == 1 else _average(values[0], values[1], call.type))
        return Project(final, tuple(exprs), self._rel.columns)

    # --- the first aggregate

    def _first(self) -> Aggregate:
        source: RelNode = self._with_buckets()
        places = {column: len(self._given.fields) + at for at, column in enumerate(self._spread)}
        groups = list(dict.fromkeys(part.spread for parts in self._parts for part in parts))
        marks: dict[int | None, int] = {}
        parts = [part for parts in self._parts for part in parts]
        calls = [part.call for part in parts]
        spread = {
            part.spread
            for call, own in zip(self._rel.calls, self._parts, strict=True)
            for part in own
            if _is_spread(call)
        }
        if len(spread) > 1:
            groups.sort(key=lambda group: len(self._given.fields) if group is None else group)
            source, marks = self._expanded(source, groups, places)
            source, calls = _marked(source, parts, marks)
        keys = (*self._rel.grouping, *places.values())
        fields = tuple(source.row_type.fields[key] for key in keys)
        return Aggregate(
            source, keys, tuple(calls), _row(fields, [call.type for call in calls]), (), self._rel.hints, split=True
        )

    def _with_buckets(self) -> RelNode:
        row = self._given
        exprs: list[RexNode] = list(identity(row))
        names = list(row.names)
        for column in self._spread:
            bucket = resolve_call("HASH_CODE", [InputRef(column, row.types[column])])
            exprs.append(resolve_call("MOD", [bucket, plan_literals.integer(self._buckets)]))
            names.append(unique_name(f"$f{len(names)}", names))
        return Project(self._rel.input, tuple(exprs), row_of(names, [type_of(rex) for rex in exprs]))

    def _expanded(
        self, source: RelNode, groups: list[int | None], places: dict[int, int]
    ) -> tuple[RelNode, dict[int | None, int]]:
        """Each row once per bucketing that some call needs; `$e` is the number of the bucketing."""
        row = source.row_type
        marks = {
            group: sum(1 << at for at, column in enumerate(self._spread[::-1]) if column != group) for group in groups
        }
        projects = tuple(
            (
                *(
                    null_of(rex.type)
                    if at in places.values() and at != places.get(-1 if group is None else group)
                    else rex
                    for at, rex in enumerate(identity(row))
                ),
                bigint(marks[group]),
            )
            for group in groups
        )
        types: list[LogicalType] = [
            type_.with_nullability(True) if at in places.values() else type_ for at, type_ in enumerate(row.types)
        ]
        names = [*row.names, unique_name("$e", row.names)]
        return Expand(source, projects, row_of(names, [*types, BIGINT.not_null()]), len(row.fields)), marks


def _marked(source: RelNode, parts: list[_Part], marks: dict[int | None, int]) -> tuple[RelNode, list[AggregateCall]]:
    """The calls filtered by the mark of their rows, over a projection that computes the filters."""
    row = source.row_type
    mark = InputRef(len(row.fields) - 1, row.types[-1])
    exprs: list[RexNode] = list(identity(row)[:-1])
    names = list(row.names[:-1])
    calls: list[AggregateCall] = []
    for part in parts:
        number = marks[part.spread]
        own = () if part.call.filter is None else (InputRef(part.call.filter, row.types[part.call.filter]),)
        condition = conjunction((equals(mark, plan_literals.integer(number)), *own))
        if condition not in exprs:
            exprs.append(condition)
            names.append(unique_name(f"$g_{number}", names))
        calls.append(replace(part.call, filter=exprs.index(condition)))
    return Project(source, tuple(exprs), row_of(names, [type_of(rex) for rex in exprs])), calls


def _is_spread(call: AggregateCall) -> bool:
    return call.distinct or call.name in _SPREAD


def _row(keys: tuple[Field, ...], types: list[LogicalType]) -> RowType:
    fields = list(keys)
    for type_ in types:
        fields.append(Field(unique_name(f"$f{len(fields)}", [item.name for item in fields]), type_))
    return RowType(fields=tuple(fields))


def _final_type(part: _Part, type_: LogicalType) -> LogicalType:
    return type_.not_null() if part.final == _SUM0 else type_


def _average(total: RexNode, count: RexNode, type_: LogicalType) -> RexNode:
    quotient = resolve_call("/", [total, count])
    quotient_type = type_of(quotient).with_nullability(True)
    return cast(Call("$IF$1", (equals(count, bigint(0)), null_of(type_), quotient), quotient_type), type_)
