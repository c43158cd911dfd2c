"""What to do about a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.diff.model import (
    Change,
    OperatorEdit,
    PlanDiff,
    SinkEdit,
    SourceEdit,
    Verdict,
)

#: What a text calls a plan or a checkpoint that nobody named.
PLAN, CHECKPOINT = "PLAN.json", "DIR"


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next.

    Args:
        what: a sentence.
        command: the command that does it; empty where there is none.
    """

    what: str
    command: str = ""


def to_reset(diff: PlanDiff) -> tuple[OperatorEdit, ...]:
    """The operators whose state the new plan cannot, or perhaps cannot, go on with."""
    return tuple(
        part
        for part in diff.operators
        if part.verdict in (Verdict.UNKNOWN, Verdict.INCOMPATIBLE) and part.change is not Change.REMOVED
    )


def advice(diff: PlanDiff, plan: str = PLAN, checkpoint: str = CHECKPOINT) -> Advice:
    """What to do next with a plan that differs from the one that ran.

    Args:
        diff: the difference.
        plan: the new plan's file.
        checkpoint: where the old one ran.
    """
    start = f"execute-plan {plan} --checkpoint {checkpoint}"
    if diff.is_empty:
        return Advice("both do the same: nothing is to be done")
    if diff.verdict is Verdict.FULL:
        return Advice("a start on the checkpoint goes on with all state", start)
    if diff.verdict is Verdict.PARTIAL:
        return Advice("go on with the state, and accept what is named above", f"{start} --upgrade migrate-partial")
    tables: Sequence[SourceEdit | SinkEdit] = (*diff.sources, *diff.sinks)
    wrong = [part.name for part in tables if part.verdict.rank >= Verdict.UNKNOWN.rank]
    if wrong:
        named = ", ".join(wrong)
        return Advice(
            f"what was read from or written to {named} does not go together with the new plan: "
            "start with an empty checkpoint, or change the plan back",
            f"execute-plan {plan} --checkpoint NEW_{CHECKPOINT}",
        )
    resets = to_reset(diff)
    if not resets:
        return Advice("start with an empty checkpoint", f"execute-plan {plan} --checkpoint NEW_{CHECKPOINT}")
    which = "it" if len(resets) == 1 else "them"
    others = [part for part in diff.parts if part not in resets and part.verdict is Verdict.PARTIAL]
    accept, flag = ("accept what else is named above, ", " --upgrade migrate-partial") if others else ("", "")
    named = ", ".join(part.uid for part in resets)
    options = " ".join(f"--reset {part.uid}" for part in resets)
    return Advice(
        f"the state of {named} cannot be used as it is: start {which} empty, {accept}or change the plan back",
        f"{start}{flag} {options}",
    )
