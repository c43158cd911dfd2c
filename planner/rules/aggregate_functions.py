"""Aggregates in terms of run-time functions: STDDEV and VAR by Welford, AVG by an existing sum and count."""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Aggregate, RelNode
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.algebra.windows import GroupWindowAggregate
from compiled_plan.planner.rules.helpers.aggregate_expansion import reduce_aggregate


def reduce_aggregate_functions(rel: RelNode) -> RelNode:
    """The tree with aggregate functions that exist at run time."""
    return rewrite_shared(
        rel, lambda node: reduce_aggregate(node) if isinstance(node, Aggregate | GroupWindowAggregate) else node
    )
