"""Rewrites of relational trees, one a file, in one order.

Each takes a tree and gives a tree of the same meaning. The last ones work on all statements of a program at once, so
that what statements share stays shared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from planner.algebra.nodes import RelNode
from planner.algebra.traverse import share
from planner.rules.aggregate_functions import reduce_aggregate_functions
from planner.rules.constants import simplify_expressions
from planner.rules.derived_conditions import derive_conditions
from planner.rules.grouping_sets import expand_grouping_sets
from planner.rules.join_keys import compute_join_keys
from planner.rules.laterals import remove_laterals
from planner.rules.over_aggregates import plan_over_aggregates
from planner.rules.prune import forget_unused_windows, prune
from planner.rules.push_filters import push_filters
from planner.rules.set_operations import expand_set_operations
from planner.rules.sorts import remove_sorts
from planner.rules.sources import changelog_of
from planner.rules.subqueries import remove_subqueries
from planner.rules.time_attributes import materialize_time
from planner.rules.top_n import find_top_n
from planner.settings import Settings

Rule = Callable[[RelNode], RelNode]

#: The rewrites of one statement, in order.
RULES: tuple[Rule, ...] = (
    expand_set_operations,
    remove_subqueries,
    remove_laterals,
    remove_sorts,
    expand_grouping_sets,
    reduce_aggregate_functions,
    simplify_expressions,
    push_filters,
    derive_conditions,
    forget_unused_windows,
    find_top_n,
    plan_over_aggregates,
    push_filters,
    simplify_expressions,
    compute_join_keys,
)


def optimize(sinks: Sequence[RelNode], settings: Settings) -> tuple[RelNode, ...]:
    """The statements after all rewrites.

    Raises:
        UnsupportedError: a subquery or window function that cannot be rewritten into operators.
    """
    rewritten = tuple(reduce(lambda rel, rule: rule(rel), RULES, sink) for sink in sinks)
    if settings.boolean("table.optimizer.distinct-agg.split.enabled"):
        from planner.rules.split_distinct import split_distinct  # few programs ask for it

        buckets = int(settings.text("table.optimizer.distinct-agg.split.bucket-num"))
        rewritten = tuple(split_distinct(rel, buckets) for rel in rewritten)
    pruned = prune(rewritten, lambda scan: changelog_of(scan, settings).normalize)
    return share(materialize_time(pruned))
