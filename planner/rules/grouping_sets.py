"""GROUPING SETS, ROLLUP and CUBE: each row once per set (Expand), grouped by the columns and the set's number.

The number `$e` has a bit for every grouping column, the first column's the highest, 1 if the set omits it. GROUPING and
GROUPING_ID are computed from it.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import bigint, case, equals, null_of
from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Expand, Project, RelNode
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.plans.rex import InputRef, RexNode
from compiled_plan.plans.types import BIGINT, Field, RowType, row_of

EXPAND_COLUMN = "$e"
_GROUPING = ("$GROUPING$1", "$GROUPING_ID$1", "$GROUP_ID$1")


def expand_grouping_sets(rel: RelNode) -> RelNode:
    return rewrite_shared(rel, _expand)


def _expand(rel: RelNode) -> RelNode:
    if not isinstance(rel, Aggregate):
        return rel
    # Calcite's order: of two sets, the one with the first column in which they differ comes first.
    grouping = rel.grouping
    sets = tuple(sorted(rel.grouping_sets, key=lambda key_set: [index not in key_set for index in grouping]))
    rel = replace(rel, grouping_sets=sets)
    if not sets or (len(sets) == 1 and set(sets[0]) == set(rel.grouping)):
        plain = Aggregate(rel.input, rel.grouping, rel.calls, rel.columns, (), rel.hints)
        return plain if sets else rel
    input_type = rel.input.row_type
    used = {index for call in rel.calls if call.name not in _GROUPING for index in (*call.args, call.filter)}
    # A grouping column that is aggregated too must keep its values in the sets that omit it.
    copies = [index for index in rel.grouping if index in used]
    base = identity(input_type)
    names = list(input_type.names)
    for index in copies:
        names.append(unique_name(input_type.names[index], names))
    names.append(unique_name(EXPAND_COLUMN, names))
    projects = tuple(
        (
            *(rex if at not in rel.grouping or at in key_set else null_of(rex.type) for at, rex in enumerate(base)),
            *(base[index] for index in copies),
            bigint(_number(rel.grouping, key_set)),
        )
        for key_set in sets
    )
    always = set.intersection(*(set(key_set) for key_set in sets))
    types = [
        type_.with_nullability(True) if at in rel.grouping and at not in always else type_
        for at, type_ in enumerate(input_type.types)
    ]
    types += [input_type.types[index] for index in copies] + [BIGINT.not_null()]
    mark = len(names) - 1
    moved = {index: len(input_type.fields) + at for at, index in enumerate(copies)}
    return _above(rel, Expand(rel.input, projects, row_of(names, types), mark), mark, moved)


def _number(grouping: tuple[int, ...], key_set: tuple[int, ...]) -> int:
    number = 0
    for index in grouping:
        number = number * 2 + (index not in key_set)
    return number


def _above(rel: Aggregate, source: Expand, mark: int, moved: dict[int, int]) -> RelNode:
    """The aggregate by the columns and `$e`, with a projection to the query's columns above it."""
    keys = (*rel.grouping, mark)
    calls = [call.moved(lambda index: moved.get(index, index)) for call in rel.calls if call.name not in _GROUPING]
    own = rel.row_type.fields
    count = len(rel.grouping)
    fields = [Field(own[at].name, source.row_type.types[index]) for at, index in enumerate(rel.grouping)]
    fields.append(Field(unique_name(source.row_type.names[mark], [item.name for item in own]), BIGINT.not_null()))
    fields += [own[count + at] for at, call in enumerate(rel.calls) if call.name not in _GROUPING]
    aggregate = Aggregate(source, keys, tuple(calls), RowType(fields=tuple(fields)), (), rel.hints)
    refs = identity(aggregate.row_type)
    exprs: list[RexNode] = list(refs[:count])
    following = iter(refs[count + 1 :])
    for call in rel.calls:
        exprs.append(_grouping(rel, call, refs[count]) if call.name in _GROUPING else next(following))
    return Project(aggregate, tuple(exprs), rel.columns)


def _grouping(rel: Aggregate, call: AggregateCall, mark: InputRef) -> RexNode:
    """The value of GROUPING(a, ...): a bit for every argument, 1 if the row's set omits it."""
    if call.name == "$GROUP_ID$1":
        return bigint(0)
    values = []
    for key_set in rel.grouping_sets:
        value = 0
        for index in call.args:
            value = value * 2 + (index not in key_set)
        values.append((_number(rel.grouping, key_set), value))
    if len({value for _, value in values}) == 1:
        return bigint(values[0][1])
    *first, last = values
    return case([(equals(mark, bigint(number)), bigint(value)) for number, value in first], bigint(last[1]))
