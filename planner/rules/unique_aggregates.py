"""Aggregates over rows that are unique in the grouping columns become projections, which have no state.

As in Flink: DISTINCT, and GROUP BY with SUM, MIN and MAX alone.
"""

from __future__ import annotations

from compiled_plan.planner.algebra.expressions import cast
from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Project, RelNode
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.rules.helpers.unique_keys import is_unique
from compiled_plan.plans.rex import InputRef

#: Functions that return the value of a group's only row.
_VALUE_OF_ROW = frozenset(("$SUM$1", "$MIN$1", "$MAX$1"))


def remove_unique_aggregates(rel: RelNode) -> RelNode:
    """The tree without aggregates whose groups have one row each."""
    return rewrite_shared(rel, _without)


def _without(rel: RelNode) -> RelNode:
    if (
        not isinstance(rel, Aggregate)
        or not rel.grouping
        or len(rel.grouping_sets) > 1
        or not all(map(_is_value, rel.calls))
        or not is_unique(rel.input, frozenset(rel.grouping))
    ):
        return rel
    types = rel.input.row_type.types
    columns = (*rel.grouping, *(call.args[0] for call in rel.calls))
    exprs = tuple(
        cast(InputRef(column, types[column]), field.type)
        for column, field in zip(columns, rel.columns.fields, strict=True)
    )
    return Project(rel.input, exprs, rel.columns)


def _is_value(call: AggregateCall) -> bool:
    return call.name in _VALUE_OF_ROW and call.filter is None and len(call.args) == 1
