"""Unique columns: sets of columns in which no two rows of a node are equal.

They follow from primary keys, which are not enforced, and from aggregates.

Source: Flink's metadata on unique columns, as its plans show it: it knows no keys of ranks, and none above a
watermark.
"""

from __future__ import annotations

from functools import singledispatch

from compiled_plan.planner.algebra.expressions import conjuncts, is_call
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Scan,
    SetOp,
    Sort,
)
from compiled_plan.planner.algebra.timed import OverAggregate
from compiled_plan.planner.rules.helpers.needed_columns import Columns
from compiled_plan.plans.rex import InputRef


@singledispatch
def is_unique(rel: RelNode, columns: Columns) -> bool:
    """Return True if no two rows of a node are known to be equal in these columns."""
    return False


@is_unique.register
def _(rel: Scan, columns: Columns) -> bool:
    names = rel.row_type.names
    return bool(rel.table.primary_key) and {names[index] for index in columns} >= set(rel.table.primary_key)


@is_unique.register
def _(rel: Filter | Sort, columns: Columns) -> bool:
    return is_unique(rel.input, columns)


@is_unique.register
def _(rel: Rank | OverAggregate, columns: Columns) -> bool:
    width = len(rel.input.row_type.fields)
    return is_unique(rel.input, frozenset(index for index in columns if index < width))


@is_unique.register
def _(rel: Project, columns: Columns) -> bool:
    exprs = [rel.exprs[index] for index in columns]
    return is_unique(rel.input, frozenset(rex.index for rex in exprs if isinstance(rex, InputRef)))


@is_unique.register
def _(rel: Aggregate, columns: Columns) -> bool:
    return len(rel.grouping_sets) <= 1 and columns.issuperset(range(len(rel.grouping)))


@is_unique.register
def _(rel: SetOp, columns: Columns) -> bool:
    return not rel.all and len(columns) == len(rel.columns.fields)


@is_unique.register
def _(rel: Join, columns: Columns) -> bool:
    if rel.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return is_unique(rel.left, columns)
    width = len(rel.left.row_type.fields)
    left = frozenset(index for index in columns if index < width)
    right = frozenset(index - width for index in columns if index >= width)
    if left and right:
        return is_unique(rel.left, left) and is_unique(rel.right, right)
    if left:
        return (
            rel.kind in (JoinKind.INNER, JoinKind.LEFT) and is_unique(rel.left, left) and matches_once(rel, rel.right)
        )
    return rel.kind in (JoinKind.INNER, JoinKind.RIGHT) and is_unique(rel.right, right) and matches_once(rel, rel.left)


def matches_once(rel: Join, side: RelNode) -> bool:
    """Return True if a row of the other side matches one row of this side at most."""
    width = len(rel.left.row_type.fields)
    compared: set[int] = set()
    for part in conjuncts(rel.condition):
        refs = [item.index for item in part.children() if isinstance(item, InputRef)] if is_call(part, "$=$1") else []
        if len(refs) == 2 and min(refs) < width <= max(refs):
            compared.add(min(refs) if side is rel.left else max(refs) - width)
    return is_unique(side, frozenset(compared))
