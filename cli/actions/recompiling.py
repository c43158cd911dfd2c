"""A compiled plan over the plan file that it overwrites."""

from __future__ import annotations

from compiled_plan.cli.common.options import PlanFileOptions
from compiled_plan.cli.common.terminal import print_lines
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.inspection.diff.advice import advice
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.text import advice_lines, diff_lines, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.recompile import notes, recompile
from compiled_plan.plans.plan import CompiledPlan


def over(plan: CompiledPlan, target: str, forced: bool, how: PlanFileOptions) -> CompiledPlan:
    """The plan with uids and edited TTLs of the plan that it overwrites; print the differences.

    Raises:
        ProgramError: the new plan cannot restore all state, or the old file is not a readable plan, and `forced` is
            false.
    """
    try:
        old = plan_from_file(target)
    except CompiledPlanError as fault:
        if not forced:
            raise ProgramError(
                f"cannot overwrite {target!r}, which is not a readable plan: {fault.message}",
                where=quoted(target),
                remedy="give --force to overwrite it, or another file with -o",
            ) from None
        how.say(f"warning: uids and TTLs of the old {target} are lost: {fault.message}")
        return plan
    merged = recompile(plan, old, edits=not how.program_ttls)
    diff = diff_plans(old, merged.plan)
    verdict = verdict_line(diff)
    for note in notes(merged, target):
        how.say(note)
    accepted = forced or diff.verdict is Verdict.FULL
    if not how.quiet:
        print_lines((*(() if diff.is_empty else diff_lines(diff)), verdict))
        if accepted and not diff.is_empty:
            print_lines(advice_lines(advice(diff, target)))
    if not accepted:
        raise ProgramError(
            f"nothing was written: the new plan cannot restore all state of the old one ({verdict.text})",
            where=quoted(target),
            remedy="give --force to write it anyway (checkpoints stay unchanged), "
            "another file with -o, or change the program back",
        )
    return merged.plan
