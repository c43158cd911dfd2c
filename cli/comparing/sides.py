"""Inputs of `diff-plan`: plan files, checkpoints, programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from compiled_plan.compiling.scripts import Say, Session, compiled, is_program
from compiled_plan.plans.files import is_remote
from compiled_plan.plans.files.folders import ReadableFolder, folder_to_read
from compiled_plan.plans.files.paths import local_path
from compiled_plan.plans.inspection.checked_plans import plan_from_file, plan_from_json
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.inspection.diff.description import facts_of, read_description
from compiled_plan.plans.inspection.diff.facts import run_to_come
from compiled_plan.plans.inspection.recompile import notes, recompile
from compiled_plan.plans.inspection.rules import plan_findings

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.diff.document import Side as Named
    from compiled_plan.plans.inspection.diff.facts import RunFacts
    from compiled_plan.plans.plan import CompiledPlan

_JSON = ".json"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of the compared plans.

    Args:
        name: the argument of the command.
        kind: "plan", "checkpoint" or "program".
        plan: the plan.
        run: facts of the last run of a checkpoint; otherwise of a future run on this machine.
    """

    name: str
    kind: Literal["plan", "checkpoint", "program"]
    plan: CompiledPlan
    run: RunFacts

    def named(self) -> Named:
        """The side as it stands in the JSON document."""
        from compiled_plan.plans.inspection.diff.document import Side as Named

        return Named.of(self.name, self.kind, self.plan)


def side_of(name: str, session: Session, say: Say, over: ComparedSide | None = None) -> ComparedSide:
    """Load or compile an argument of the command.

    Args:
        name: the argument.
        session: the initial session of programs.
        say: called with each warning.
        over: the plan whose uids and edited TTLs a program keeps, as with `compile-plan -o`.

    Raises:
        CompiledPlanError: the argument cannot be read or compiled.
    """
    if is_program(name):
        plan = compiled(name, session, say).plan
        return ComparedSide(name, "program", plan if over is None else _over(plan, over, say), run_to_come())
    folder = _checkpoint(name)
    if folder is not None:
        reader = CheckpointReader(folder)
        files = reader.program_in_force()
        plan = plan_from_json(files.plan, folder.shown)
        run = facts_of(read_description(files.description, folder.shown), plan)
        return ComparedSide(name, "checkpoint", plan, replace(run, state_bytes=reader.figures_in_force().bytes))
    plan = plan_from_file(name)
    for finding in plan_findings(plan):
        say(f"warning: {name}: execute-plan refuses it: {finding.message}")
        say(f"  at: {finding.where}\n  try: {finding.remedy}")
    return ComparedSide(name, "plan", plan, run_to_come())


def _over(plan: CompiledPlan, over: ComparedSide, say: Say) -> CompiledPlan:
    merged = recompile(plan, over.plan)
    for note in notes(merged, over.name):
        say(note)
    return merged.plan


def _checkpoint(name: str) -> ReadableFolder | None:
    """The folder of that name, or None."""
    folder = folder_to_read(name)
    if not is_remote(name):
        return folder if local_path(name).is_dir() else None
    if name.endswith(_JSON):
        return None
    # An object store has folders only as parts of names.
    return folder if folder.names() else None
