"""Two plans beside each other: what differs, and what it does to the state that is kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from compiled_plan.plans.inspection.diff.model import PlanDiff, worst
from compiled_plan.plans.inspection.diff.operators import operators_of
from compiled_plan.plans.inspection.diff.sides import Both
from compiled_plan.plans.inspection.diff.sinks import sink_edits
from compiled_plan.plans.inspection.diff.sources import Sources
from compiled_plan.plans.inspection.diff.stateless import stateless_edits
from compiled_plan.plans.plan import CompiledPlan


def diff_plans(old: CompiledPlan, new: CompiledPlan, filled: Collection[int] = ()) -> PlanDiff:
    """What differs between two plans, with a verdict for each operator, source and sink, and for all.

    Args:
        old: the plan that was there, such as the one of a checkpoint; of Flink's plans uids are derived.
        new: the plan that is to be started.
        filled: nodes of the new plan that are filled from history before they start.

    Returns:
        The difference; empty where both plans do the same with the same TTLs.
    """
    both = Both.of(old, new)
    sources = Sources.of(both)
    operators = operators_of(both, sources.past, filled)
    found = PlanDiff(operators.ordered(), sources.edits, sink_edits(both, operators), stateless_edits(both))
    return replace(found, verdict=worst(part.verdict for part in found.parts))
