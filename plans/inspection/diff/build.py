"""Comparison of two plans: their differences, and the effect on state.

Used by `diff-plan`, `compile-plan` over an existing plan, a start on a checkpoint and its dry run, and the service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

from compiled_plan.plans.inspection.diff.facts import NO_RUN, RunFacts
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, PlanDiff, SourceEdit
from compiled_plan.plans.inspection.diff.operators import operators_of
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.diff.sinks import sink_edits
from compiled_plan.plans.inspection.diff.sources import Sources
from compiled_plan.plans.inspection.judging.lists import list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.lineage.operators import Item
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.spark_versions import release, runs_plans


def diff_plans(
    old: CompiledPlan,
    new: CompiledPlan,
    filled: Collection[int] = (),
    runs: tuple[RunFacts, RunFacts] = (NO_RUN, NO_RUN),
) -> PlanDiff:
    """Compare two plans: a verdict for each operator, source and sink, and overall; empty if both are equivalent.

    The old plan may be Flink's, whose uids are derived. `filled` nodes are filled from history before they start;
    `runs` are the run facts of each plan.
    """
    return diff_of(PlanPair.of(old, new, runs), filled)


def diff_of(both: PlanPair, filled: Collection[int] = ()) -> PlanDiff:
    """Compare two plans that are already matched; see `diff_plans`."""
    sources = Sources.of(both)
    operators = operators_of(both, sources.past, filled)
    return PlanDiff.of(
        tuple(_sized(both, edit) for edit in operators.ordered()),
        sources.edits,
        sink_edits(both, operators),
        tuple(_stateless(both)),
        tuple(_whole(both, sources.edits)),
        tuple(dict.fromkeys(operators.unchecked)),
    )


def _sized(both: PlanPair, edit: OperatorEdit) -> OperatorEdit:
    size = both.old.run.state_bytes.get(edit.old_uid)
    return edit if size is None else replace(edit, state_bytes=size)


def _whole(both: PlanPair, sources: Collection[SourceEdit]) -> Iterator[PropertyEdit]:
    before, after = both.old.run.spark, both.new.run.spark
    if before and after and release(before) > release(after) and not (runs_plans(before) and runs_plans(after)):
        why = f"the checkpoint was written by Spark {before}, and this is {after}"
        remedy = f"run it with Spark {before} or newer"
        yield PropertyEdit("Spark", f"version {before}", f"version {after}", Verdict.INCOMPATIBLE, why, remedy)
    added, removed = (
        [part.name for part in sources if part.change is change] for change in (Change.ADDED, Change.REMOVED)
    )
    if added and removed and len(added) + len(removed) == len(sources):
        old, new = ", ".join(removed), ", ".join(added)
        why = f"the plan reads {new}, and none of {old}"
        yield PropertyEdit("all that is read", old, new, Verdict.INCOMPATIBLE, why)


def _stateless(both: PlanPair) -> Iterator[PropertyEdit]:
    """Edits of filters and unions; downstream operators and sinks report the effect on state."""
    filters = list_edit(_filters(both.old), _filters(both.new))
    for filter_ in filters.added:
        yield PropertyEdit(f"filter `{filter_.text}`", "", "added")
    for filter_ in filters.dropped:
        yield PropertyEdit(f"filter `{filter_.text}`", "removed", "")
    before, after = _kinds(both.old), _kinds(both.new)
    for kind in dict.fromkeys([*before, *after]):
        if before[kind] != after[kind]:
            yield PropertyEdit(kind, str(before[kind]), str(after[kind]))


def _filters(side: PlanSide) -> list[Item]:
    predicates = (part for rows in side.lineage.flows.values() for branch in rows for part in branch.filter)
    by_digest = {part.digest: part for part in predicates if part.head != "no -U"}
    return [Item.of(part) for part in by_digest.values()]


def _kinds(side: PlanSide) -> Counter[str]:
    """Number of nodes by stateless kind."""
    kinds = ("union", "expand", "correlate", "lookup-join")
    return Counter(node.kind for node in side.plan.nodes if node.kind in kinds)
