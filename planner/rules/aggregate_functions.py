"""Aggregates in terms of those that can be kept: STDDEV and VAR by Welford, AVG by a sum and a count that are there."""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Aggregate, RelNode
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.algebra.windows import GroupWindowAggregate
from compiled_plan.planner.rules.helpers.aggregate_expansion import reduce_aggregate


def reduce_aggregate_functions(rel: RelNode) -> RelNode:
    """The tree with the aggregate functions that exist at run time."""
    return rewrite_shared(
        rel, lambda node: reduce_aggregate(node) if isinstance(node, Aggregate | GroupWindowAggregate) else node
    )
