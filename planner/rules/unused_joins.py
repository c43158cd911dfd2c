"""Outer joins of which only the outer side is read become that side.

As in Flink, each row of that side matches one row of the other at most, or an aggregate ignores duplicates: DISTINCT,
and GROUP BY with DISTINCT calls alone.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import null_of
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Aggregate, Join, Project, RelNode
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.algebra.traverse import nodes
from compiled_plan.planner.rules.helpers.needed_columns import Columns, needed
from compiled_plan.planner.rules.helpers.unique_keys import matches_once
from compiled_plan.planner.rules.prune import wanted_columns
from compiled_plan.plans.rex import InputRef


def remove_unused_joins(rel: RelNode) -> RelNode:
    """The tree without joins for columns that nobody reads, and without the joins that only these read."""
    while True:
        wanted = wanted_columns((rel,))
        done: dict[int, RelNode] = {}
        for node in nodes((rel,)):
            inputs = tuple(done[id(child)] for child in node.inputs)
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            done[id(node)] = _without(node if same else node.with_inputs(inputs), wanted[id(node)])
        if done[id(rel)] is rel:
            return rel
        rel = done[id(rel)]


def _without(rel: RelNode, wanted: Columns) -> RelNode:
    if isinstance(rel, Join) and matches_once(rel, rel.right if rel.kind is JoinKind.LEFT else rel.left):
        return _outer_side(rel, wanted) or rel
    if isinstance(rel, Aggregate) and len(rel.grouping_sets) <= 1 and all(call.distinct for call in rel.calls):
        below = _below_aggregate(rel.input, needed(rel, frozenset(range(len(rel.columns.fields))))[0])
        return rel if below is None else replace(rel, input=below)
    return rel


def _below_aggregate(rel: RelNode, wanted: Columns) -> RelNode | None:
    """The input of an aggregate that ignores duplicates, without its join; None if the join is needed."""
    if isinstance(rel, Join):
        return _outer_side(rel, wanted)
    if isinstance(rel, Project) and all(isinstance(rel.exprs[index], InputRef) for index in wanted):
        below = _below_aggregate(rel.input, needed(rel, wanted)[0])
        return None if below is None else replace(rel, input=below)
    return None


def _outer_side(rel: Join, wanted: Columns) -> RelNode | None:
    """The outer side of a join, with nulls for the columns of the other one; None if these are wanted."""
    if rel.kind not in (JoinKind.LEFT, JoinKind.RIGHT):
        return None
    width, row = len(rel.left.row_type.fields), rel.row_type
    left = rel.kind is JoinKind.LEFT
    if any((index < width) is not left for index in wanted):
        return None
    unread = [null_of(type_) for type_ in (row.types[width:] if left else row.types[:width])]
    if left:
        return Project(rel.left, (*identity(rel.left.row_type), *unread), row)
    return Project(rel.right, (*unread, *identity(rel.right.row_type)), row)
