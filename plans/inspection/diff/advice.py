"""Recommended next step for a difference."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from compiled_plan.plans.inspection.diff.concerns import ACCEPT, concerns, start_options
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict

#: Placeholders for the paths of plan and checkpoint.
PLAN, CHECKPOINT = "PLAN.json", "DIR"


@dataclass(frozen=True, slots=True)
class Advice:
    what: str
    command: str = ""  # the command to run; empty if there is none


def advice(diff: PlanDiff, plan: str = PLAN, checkpoint: str = CHECKPOINT) -> Advice:
    """The next step with a plan that differs from the one that ran on a checkpoint."""
    start = f"execute-plan {quote(plan)} --checkpoint {quote(checkpoint)}"
    if diff.is_empty:
        return Advice("both are equivalent: there is nothing to do")
    if diff.verdict is Verdict.FULL:
        return Advice("a start on the checkpoint continues with all state", start)
    open_concerns = concerns(diff)
    options = start_options(open_concerns)
    elsewhere = f"execute-plan {quote(plan)} --checkpoint NEW_{CHECKPOINT}"
    if options is None:
        wrong = [
            concern.what for concern in open_concerns if not concern.uids and concern.verdict is not Verdict.PARTIAL
        ]
        about = ", ".join(filter(None, wrong)) or "what the program reads"
        return Advice(
            f"{about}: the input or output of the checkpoint is incompatible with the new plan: "
            "start with an empty checkpoint, or change the plan back",
            elsewhere,
        )
    command = " ".join((start, *options))
    if options == (ACCEPT,):
        return Advice("continue with the state, and accept the changes above", command)
    uids = [concern.uids[0] for concern in open_concerns if concern.verdict is not Verdict.PARTIAL]
    accept = "accept the other changes above, " if ACCEPT in options else ""
    return Advice(
        f"the state of {', '.join(uids)} cannot be reused: start {'it' if len(uids) == 1 else 'them'} empty, "
        f"{accept}or change the plan back",
        command,
    )
