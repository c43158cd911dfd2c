"""Writing a compiled plan: `compile-plan`."""

from __future__ import annotations

import sys

from compiled_plan.cli.common.engines import Engine
from compiled_plan.cli.common.options import PlanFileOptions
from compiled_plan.environment import CompiledScript
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import exists, quoted, write_text
from compiled_plan.plans.inspection.references import secret_names
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.visible import counted


def write(script: CompiledScript, output: str, how: PlanFileOptions) -> None:
    """Write the plan of a script to its file or stdout, with warnings about its run."""
    if how.engine is Engine.FLINK and (names := secret_names(script.plan)):
        how.say(
            f"warning: Flink does not resolve references to secrets, and takes them as they are: {', '.join(names)}"
        )
        how.say("  try: replace them in the plan where Flink reads it")
    for finding in plan_findings(script.plan):
        how.say(f"warning: the plan loads in Flink, but execute-plan refuses it: {finding.message}")
        how.say(f"  at: {finding.where}\n  try: {finding.remedy}")
    target = output or script.path or ""
    if not target:
        text = script.plan.to_json()
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    plan = script.plan
    if exists(target):
        if not how.force and (how.if_not_exists or (script.if_not_exists and not output)):
            how.say(f"{target} exists; nothing was written")
            return
        # COMPILE PLAN treats an existing file as in Flink; options of the command override it.
        forced = how.force or (script.overwrite and not output)
        if not (output or forced):
            raise ProgramError(
                f"cannot overwrite the plan file {target!r}",
                where=quoted(target),
                remedy="give --force to overwrite it, --if-not-exists to keep it, another file with -o, "
                "or SET 'table.plan.force-recompile' = 'true'",
            )
        from compiled_plan.cli.actions.recompiling import over

        plan = over(plan, target, forced, how)
    write_text(target, (plan.with_schema("") if how.engine is Engine.FLINK else plan).to_json())
    how.say(f"{target}: {counted(len(plan.nodes), 'operator')}, {_with_ttl(plan)} with a TTL")


def _with_ttl(plan: CompiledPlan) -> int:
    return sum(1 for node in plan.nodes if node.ttl_entries)
