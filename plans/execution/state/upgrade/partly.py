"""Operators whose state does not reflect all rows read, and the reasons.

The description of a program stores the reasons by uid: an operator started empty, continued in part, or has a TTL. Its
output so far cannot be reconstructed by reading the rows again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.steps import MoveState, StartEmpty, Step, WarmUp
from compiled_plan.plans.inspection.checkpoints import Head
from compiled_plan.plans.inspection.diff.description import Description
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan

#: The reason of operators with a TTL.
FORGETS = "it forgets after its TTL"


def partly_of(store: Store, head: Head, description: Description) -> dict[str, str]:
    """The reasons for the state of a head, by uid."""
    if "partly" in description:
        return dict(description["partly"])
    if store.origin(head.generation) is not None:
        why = "an earlier release has upgraded the checkpoint, and did not write down what became of its state"
        return {operator["uid"]: why for operator in description["operators"]}
    plans = [
        CompiledPlan.from_json(store.program(start).plan)
        for start in store.heads()
        if start.generation == head.generation
    ]
    return {uid: why for plan in plans for uid, why in forgetting(plan).items()}


def forgetting(plan: CompiledPlan) -> dict[str, str]:
    """The operators with a TTL."""
    return {str(node.uid): FORGETS for node in plan.nodes if node.uid and any(e.ttl_ms for e in node.ttl_entries)}


def partly_after(
    before: Mapping[str, str], diff: PlanDiff, steps: tuple[Step, ...], has_history: bool
) -> dict[str, str]:
    """The reasons after an upgrade.

    Args:
        before: the reasons before, by the uids of then.
        steps: the steps of the upgrade.
        has_history: True if operators are filled from another table than the one that is read.
    """
    edits = {edit.old_uid: edit for edit in diff.operators if edit.old_uid}
    added = {edit.uid: edit for edit in diff.operators if not edit.old_uid}
    return dict(_after(before, edits, added, steps, has_history))


def _after(
    before: Mapping[str, str],
    edits: Mapping[str, OperatorEdit],
    added: Mapping[str, OperatorEdit],
    steps: tuple[Step, ...],
    has_history: bool,
) -> Iterator[tuple[str, str]]:
    for step in steps:
        if isinstance(step, MoveState):
            source = step.mapping.source
            edit = edits.get(source)
            if source in before:
                yield step.uid, before[source]
            elif edit is not None and edit.verdict is not Verdict.FULL:
                yield step.uid, edit.why
        elif isinstance(step, StartEmpty):
            edit = added.get(step.uid)
            if edit is None or edit.verdict is not Verdict.FULL:
                yield step.uid, "it started empty in an upgrade"
        elif has_history and isinstance(step, WarmUp):
            yield step.uid, "it was filled from another table than the one that is read"
