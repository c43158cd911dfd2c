"""`compile-plan`: compile a table program to a plan file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.engines import Engine
from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    SessionOptions,
    app_for,
    fail,
    print_lines,
    run_app,
)
from compiled_plan.compiling.scripts import compiled
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.environment import CompiledScript
    from compiled_plan.plans.plan import CompiledPlan

app = app_for("compile-plan")


@dataclass(frozen=True, slots=True)
class _How:
    """Options for an existing plan file, and for messages."""

    if_not_exists: Annotated[bool, typer.Option("--if-not-exists", help="Do nothing if the plan file exists.")] = False
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite the plan file even if the new plan cannot restore all of its state."),
    ] = False
    program_ttls: Annotated[
        bool,
        typer.Option("--program-ttls", help="Take all TTLs from the program, and drop TTLs edited in the plan file."),
    ] = False
    engine: Annotated[
        Engine | None,
        typer.Option("--for", metavar="flink", help="Write the plan for Flink, without the $schema of the old plan."),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False

    def say(self, text: str) -> None:
        """Print a message to stderr unless `quiet`."""
        if not self.quiet:
            typer.echo(text, err=True)


@app.command()
@with_groups
def compile_plan(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="The program, .sql or .py; `-` reads SQL from stdin.")
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="PLAN.json", help="Plan file to write; stdout by default."),
    ] = "",
    *,
    opening: SessionOptions,
    how: _How,
    debug: Debug = False,
) -> None:
    """Compile a program: declarations, and one INSERT or one statement set.

    A SQL program is a script. -o overrides the plan file of a COMPILE PLAN statement in it. A Python program (.py)
    defines main(env), which takes a TableEnvironment and returns the inserts: table.insert_into("sink"), a list of
    these, or a statement set. Its output goes to stderr.

    An --init file prepares the session, like -i of Flink's SQL client. It may contain SET, RESET, USE, CREATE, DROP
    and ALTER. --set overrides its options.

    If the file of -o holds a plan already, operators keep their uids and edited TTLs, and the differences are printed.
    If the new plan cannot restore all state of the old one, nothing is written without --force. A COMPILE PLAN
    statement without IF NOT EXISTS refuses an existing file, unless --force or table.plan.force-recompile is set.

    Exit codes: 0 compiled, 1 the program or the plan file was refused, 2 wrong usage. A failure writes nothing.
    """
    if how.force and how.if_not_exists:
        raise typer.BadParameter("--force and --if-not-exists contradict each other")
    session = opening.session()
    try:
        if output and how.if_not_exists and _is_there(output):
            how.say(f"{output} exists; nothing was written")
        else:
            _write(compiled(program, session, how.say), output, how)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, program), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _is_there(path: str) -> bool:
    from compiled_plan.plans.files import exists

    return exists(path)


def _write(script: CompiledScript, output: str, how: _How) -> None:
    from compiled_plan.plans.inspection.references import secret_names
    from compiled_plan.plans.inspection.rules import plan_findings

    if how.engine is Engine.FLINK and (names := secret_names(script.plan)):
        how.say(
            f"warning: Flink does not resolve references to secrets, and takes them as they are: {', '.join(names)}"
        )
        how.say("  try: replace them in the plan where Flink reads it")
    for finding in plan_findings(script.plan.nodes, script.plan.edges):
        how.say(f"warning: the plan loads in Flink, but execute-plan refuses it: {finding.message}")
        how.say(f"  at: {finding.where}\n  try: {finding.remedy}")
    target = output or script.path or ""
    if not target:
        text = script.plan.to_json()
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from compiled_plan.plans.files import exists, quoted, write_text

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
        plan = _over(plan, target, forced, how)
    write_text(target, (plan.with_schema("") if how.engine is Engine.FLINK else plan).to_json())
    how.say(f"{target}: {counted(len(plan.nodes), 'operator')}, {_with_ttl(plan)} with a TTL")


def _over(plan: CompiledPlan, target: str, forced: bool, how: _How) -> CompiledPlan:
    """The plan with uids and edited TTLs of the plan that it overwrites; print the differences.

    Raises:
        ProgramError: the new plan cannot restore all state, or the old file is not a readable plan, and `forced` is
            false.
    """
    from compiled_plan.plans.files import quoted
    from compiled_plan.plans.inspection.checked_plans import plan_from_file

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
    from compiled_plan.plans.inspection.diff.advice import advice
    from compiled_plan.plans.inspection.diff.build import diff_plans
    from compiled_plan.plans.inspection.diff.text import advice_lines, diff_lines, verdict_line
    from compiled_plan.plans.inspection.judging.verdicts import Verdict
    from compiled_plan.plans.inspection.recompile import notes, recompile

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


def _with_ttl(plan: CompiledPlan) -> int:
    return sum(1 for node in plan.nodes if node.ttl_entries)


def main() -> None:
    """Entry point of `compile-plan`."""
    run_app(app)


if __name__ == "__main__":
    main()
