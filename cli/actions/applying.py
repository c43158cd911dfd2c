"""The difference that a start makes: `apply-plan`."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.cli.common.terminal import print_lines, say
from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.cli.comparing.sides import side_of
from compiled_plan.compiling.scripts import Session
from compiled_plan.plans.execution.session.options import CORRECT, MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.execution.state.checkpoint.leases import busy, owner_in
from compiled_plan.plans.execution.state.checkpoint.locks import LOCK, is_alive
from compiled_plan.plans.files.folders import folder_to_read
from compiled_plan.plans.files.paths import quoted
from compiled_plan.plans.inspection.checkpoints import CheckpointReader, Head
from compiled_plan.plans.inspection.diff.concerns import accepts, concerns, reset_uids
from compiled_plan.plans.inspection.diff.text import Line, diff_lines, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import worst
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True)
class Step:
    """A plan to start, the head of the checkpoint that it was compared with, and whether they are equivalent."""

    plan: CompiledPlan
    head: Head | None
    is_same: bool = False


def compared_with_checkpoint(program: str, session: Session, options: RunOptions) -> Step:
    """Compile the program over the checkpoint's plan, and print what a start would do.

    Raises:
        CompiledPlanError: the program or the checkpoint cannot be read, or the start is refused.
    """
    checkpoint = options.checkpoint
    reader = CheckpointReader(folder_to_read(checkpoint))
    head = reader.head()
    if head is None:
        plan = side_of(program, session, say).plan
        say(f"checkpoint {reader.root.shown}: new, all operators start with empty state")
        return Step(plan, head)
    owner = owner_in(reader.root, LOCK)
    if owner and is_alive(owner):
        held = busy(reader.root, owner)
        say(f"warning: {held.message}\n  try: stop that run before this plan starts")
    before = side_of(checkpoint, session, say)
    compared = Comparison.of(before, side_of(program, session, say, over=before))
    _print_difference(compared, options)
    is_same = compared.diff.is_empty and not (options.reset or options.warm_up or options.upgrade == CORRECT)
    return Step(compared.after.plan, head, is_same)


def _print_difference(compared: Comparison, options: RunOptions) -> None:
    """Print the difference and what a start makes of it.

    Raises:
        UpgradeError: the options do not permit the change of state.
    """
    diff, checkpoint = compared.diff, quoted(options.checkpoint)
    print_lines((*(() if diff.is_empty else diff_lines(diff)), verdict_line(diff)))
    reset = reset_uids(diff, options.reset, checkpoint)
    open_concerns = concerns(diff, reset)
    if options.warm_up or options.upgrade == CORRECT:
        print_lines(
            [Line("the start fills operators from history, and is refused if that leaves less than is allowed")]
        )
        return
    verdict = worst(concern.verdict for concern in open_concerns)
    if not accepts(verdict, partial=options.upgrade == MIGRATE_PARTIAL):
        from compiled_plan.plans.execution.state.upgrade.refusing import refusal

        raise refusal(open_concerns, diff, checkpoint)
    lines = [f"  accepted: {line}" for concern in open_concerns for line in concern.lines]
    lines += [f"  starts empty: operator {uid}" for uid in options.reset]
    print_lines(map(Line, ("a start continues with " + ("this state:" if lines else "all state"), *lines)))
