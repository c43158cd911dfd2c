r"""Pipeline of passes that turns a table program into a plan.

    SQL    --parse-->  statements of `sql.nodes`        \
                                                          --bind-->  relational trees  --PIPELINE-->  CompiledPlan
    Python ----------> nodes of `sql.nodes`, by `table`  /

A pass takes a draft and returns the next one. Passes over relational trees are in `rules/`, one per file, with shared
code in `rules/helpers/`; passes over operators are in `physical/`. `PIPELINE` lists them in order, each with the
reason for its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from compiled_plan.planner.algebra.nodes import RelNode, Sink
from compiled_plan.planner.checks import faults, operator_faults
from compiled_plan.planner.diagnostics.internal import InternalError
from compiled_plan.planner.diagnostics.placing import placed
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.physical.choosing import choose_operators
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.numbering import number_nodes
from compiled_plan.planner.physical.session_options import check_options
from compiled_plan.planner.physical.update_kinds import infer_update_kinds
from compiled_plan.planner.rules.aggregate_functions import reduce_aggregate_functions
from compiled_plan.planner.rules.constants import simplify_expressions
from compiled_plan.planner.rules.derived_conditions import derive_conditions
from compiled_plan.planner.rules.grouping_sets import expand_grouping_sets
from compiled_plan.planner.rules.join_keys import compute_join_keys
from compiled_plan.planner.rules.laterals import remove_laterals
from compiled_plan.planner.rules.merged_sinks import merge_sinks
from compiled_plan.planner.rules.over_aggregates import plan_over_aggregates
from compiled_plan.planner.rules.prune import forget_unused_windows, prune_columns
from compiled_plan.planner.rules.push_filters import push_filters
from compiled_plan.planner.rules.set_operations import expand_set_operations
from compiled_plan.planner.rules.sorts import remove_sorts
from compiled_plan.planner.rules.source_filters import push_into_sources
from compiled_plan.planner.rules.subqueries import remove_subqueries
from compiled_plan.planner.rules.time_attributes import materialize_time
from compiled_plan.planner.rules.top_n import find_top_n
from compiled_plan.planner.rules.unique_aggregates import remove_unique_aggregates
from compiled_plan.planner.rules.unused_joins import remove_unused_joins
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True)
class Pass:
    """A pipeline step and the reason for its position."""

    change: Callable[[Draft], Draft]
    why: str
    name: str


def per_tree(rule: Callable[[RelNode], RelNode], why: str) -> Pass:
    """A pass that rewrites the tree of each statement by itself."""

    def changed(tree: RelNode) -> RelNode:
        try:
            return rule(tree)
        except CompiledPlanError as fault:
            raise placed(fault, tree.where) from None

    return Pass(lambda draft: draft.with_trees(map(changed, draft.trees)), why, rule.__name__)


def all_trees(rule: Callable[[Sequence[RelNode], Settings], Iterable[RelNode]], why: str) -> Pass:
    """A pass that rewrites the trees of all statements at once, so that what they share stays shared."""
    return Pass(lambda draft: draft.with_trees(rule(draft.trees, draft.settings)), why, rule.__name__)


def physical(change: Callable[[Draft], Draft], why: str) -> Pass:
    """A pass over the operators or the whole draft."""
    return Pass(change, why, change.__name__)


def optional(option: str, kind: Callable[[Any, str], Pass], place: str, why: str, value: str = "true") -> Pass:
    """A pass that few programs enable, by an option with another default; its module is loaded on demand.

    Args:
        option: the option's name.
        kind: `per_tree`, `all_trees` or `physical`.
        place: the module below `planner`, and the function.
        why: the reason for its position.
        value: the value of the option that enables the pass, in any case.
    """
    module, name = place.split(":")

    def change(draft: Draft) -> Draft:
        if draft.settings.value(option).lower() != value.lower():
            return draft
        return kind(getattr(import_module(f"compiled_plan.planner.{module}"), name), why).change(draft)

    return Pass(change, why, name)


PIPELINE: tuple[Pass, ...] = (
    physical(check_options, "refuse options that would change the plan's meaning, before any work is done"),
    all_trees(merge_sinks, "statements that write one table share a sink, before trees are rewritten separately"),
    optional(
        "table.exec.mini-batch.enabled",
        physical,
        "physical.mini_batch:request_mini_batches",
        "mini-batches depend on the statements as written, before subqueries become joins",
    ),
    # relational trees: replace constructs without operators by others
    per_tree(expand_set_operations, "INTERSECT, EXCEPT and UNION become joins and aggregates, for all later passes"),
    per_tree(remove_subqueries, "subqueries become joins, while conditions are in their original places"),
    per_tree(remove_laterals, "LATERAL queries become joins, once the subqueries inside them are gone"),
    per_tree(remove_sorts, "sorts without effect must not block the pushdown of conditions"),
    per_tree(expand_grouping_sets, "grouping sets become expanded rows, through which conditions can be pushed"),
    per_tree(reduce_aggregate_functions, "aggregates become run-time functions, before passes rely on their columns"),
    # relational trees: less to compute
    per_tree(simplify_expressions, "fold constants, so that later passes recognize conditions"),
    per_tree(push_filters, "push conditions down, before ranks and windows are derived from them"),
    per_tree(derive_conditions, "conditions on one side are derived once conditions have reached the joins"),
    per_tree(forget_unused_windows, "unused window functions must not hide a top-n"),
    per_tree(find_top_n, "ranks replace row numbers under their remaining conditions"),
    per_tree(plan_over_aggregates, "the remaining window functions"),
    per_tree(push_filters, "conditions can be pushed through the results of the last three passes"),
    per_tree(simplify_expressions, "pushed conditions may have constant parts"),
    per_tree(remove_unused_joins, "once conditions have reached the joins, and ranks are known"),
    per_tree(remove_unique_aggregates, "the remaining joins may repeat the rows of a key"),
    per_tree(compute_join_keys, "keys become columns after all pushdown, which cannot pass these projections"),
    per_tree(push_into_sources, "filters reach sources before pruning, which drops columns that only they read"),
    optional(
        "table.optimizer.distinct-agg.split.enabled",
        all_trees,
        "rules.split_distinct:split_distinct",
        "before pruning, since it adds columns",
    ),
    all_trees(prune_columns, "drop unused columns; over all statements, which may share nodes"),
    all_trees(materialize_time, "remaining time attributes become timestamps, windows or interval joins"),
    # operators
    physical(choose_operators, "each node becomes the operator that computes it"),
    optional(
        "table.exec.mini-batch.enabled",
        physical,
        "physical.mini_batch:form_mini_batches",
        "over operators, since it places aggregates around exchanges",
    ),
    physical(infer_update_kinds, "update kinds depend on all operators, from the sinks down"),
    optional(
        "table.optimizer.non-deterministic-update.strategy",
        physical,
        "physical.determinism:resolve_updates",
        "over the final changes, since it depends on the updates that operators receive",
        value="TRY_RESOLVE",
    ),
    physical(number_nodes, "operators become plan nodes in the order of the data flow"),
)


@deeply
def plan(sinks: Sequence[Sink], config: Mapping[str, str]) -> CompiledPlan:
    """Plan a program's INSERT statements.

    Args:
        sinks: the statements in the order of the program.
        config: the options that the program sets.

    Raises:
        ProgramError: the program is invalid (updates into an append-only sink, conflicting keys, ...).
        UnsupportedError: the program uses a feature without an operator, or an unsupported option.
        InternalError: a pass broke the plan; names it.
    """
    first = Draft(Settings(config), tuple(sinks))
    *_, (_, draft) = drafts(first)
    fault = next(operator_faults(draft), None)
    if fault is not None:
        raise _broken(first, fault)
    assert draft.plan is not None
    return draft.plan


def _broken(first: Draft, fault: str) -> InternalError:
    """The error for an invalid plan, with the first pass that broke it."""
    for step, draft in drafts(first):
        broken_by = next(faults(draft), None)
        if broken_by is not None:
            return InternalError(f"the planner broke the plan: {broken_by}", where=f"the pass {step.name}")
    return InternalError(f"the planner broke the plan: {fault}")


def drafts(draft: Draft, passes: Sequence[Pass] | None = None) -> Iterator[tuple[Pass, Draft]]:
    """The passes, by default of the pipeline, with the draft after each one.

    Raises:
        InternalError: a pass fails because of a planner bug.
    """
    for step in PIPELINE if passes is None else passes:
        try:
            draft = step.change(draft)
        except (CompiledPlanError, RecursionError):
            raise
        except Exception as fault:
            message = f"the planner failed: {type(fault).__name__}: {fault}"
            raise InternalError(message, where=f"the pass {step.name}") from fault
        yield step, draft
