"""`compile-plan`: a table program to a plan file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.api.scripts import compiled
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    app_for,
    fail,
    print_lines,
    run_app,
    session_of,
    session_settings,
)
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.api.environment import CompiledScript
    from compiled_plan.plans.plan import CompiledPlan

app = app_for()


@app.command()
def compile_plan(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="The program, .sql or .py; `-` reads SQL from stdin.")
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="PLAN.json", help="Write the plan there; to stdout if left out."),
    ] = "",
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set an option, as SET at the program's start; repeatable."),
    ] = None,
    init: Annotated[
        list[str] | None,
        typer.Option(
            "--init",
            "-i",
            metavar="INIT.sql",
            help="Carry out a file of SQL first, such as shared CREATE TABLEs; repeatable.",
        ),
    ] = None,
    if_not_exists: Annotated[
        bool, typer.Option("--if-not-exists", help="Do nothing when the plan file is already there.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a plan file even if its state cannot be gone on with in full.")
    ] = False,
    program_ttls: Annotated[
        bool, typer.Option("--program-ttls", help="Take all TTLs from the program, also where the file's were edited.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    debug: Debug = False,
) -> None:
    """Compile a program: declarations, and one INSERT or one statement set.

    A program in SQL is a script; a COMPILE PLAN statement in it says where its plan goes, unless -o does. A program in
    Python (.py) has a function main(env) that is given a TableEnvironment and returns what to write:
    table.insert_into("sink"), a list of those, or a statement set. What it prints goes to stderr.

    A file of --init prepares the session, as the SQL client's -i: SET, RESET, USE, CREATE, DROP, ALTER DATABASE and
    ALTER CATALOG may stand in it. What --set says holds over what it sets.

    Over a plan that is already at -o, operators keep their uids and edited TTLs, and what differs is printed; where the
    new plan would not go on with all state, nothing is written without --force. A COMPILE PLAN statement without IF NOT
    EXISTS refuses a file that is there, unless --force or table.plan.force-recompile says otherwise.

    Exit codes: 0 compiled, 1 the program or the plan file was refused, 2 wrong usage. Nothing is written when it fails.
    """
    if force and if_not_exists:
        raise typer.BadParameter("--force and --if-not-exists contradict each other")
    session = session_of(session_settings(options or []), init)
    how = _How(force, if_not_exists, program_ttls, quiet)
    try:
        if output and if_not_exists and _is_there(output):
            how.say(f"{output} exists already; nothing was done")
        else:
            _write(compiled(program, session, how.say), output, how)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, program), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


@dataclass(frozen=True, slots=True)
class _How:
    """The options that say what happens to a file that is there."""

    force: bool
    if_not_exists: bool
    program_ttls: bool
    quiet: bool

    def say(self, text: str) -> None:
        """A remark on stderr."""
        if not self.quiet:
            typer.echo(text, err=True)


def _is_there(path: str) -> bool:
    from compiled_plan.plans.files import exists

    return exists(path)


def _write(script: CompiledScript, output: str, how: _How) -> None:
    from compiled_plan.plans.inspection.rules import plan_findings

    for finding in plan_findings(script.plan.nodes, script.plan.edges):
        how.say(f"warning: the plan loads in Flink, and a run here refuses it: {finding.message}")
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
            how.say(f"{target} exists already; nothing was done")
            return
        # What a statement says about its file is Flink's: it stays, unless an option says otherwise.
        forced = how.force or (script.overwrite and not output)
        if not (output or forced):
            raise ProgramError(
                f"cannot overwrite the plan file {target!r}",
                where=quoted(target),
                remedy="give --force to overwrite it, --if-not-exists to keep it, another file with -o, "
                "or SET 'table.plan.force-recompile' = 'true'",
            )
        plan = _over(plan, target, forced, how)
    write_text(target, plan.to_json())
    how.say(f"{target}: {counted(len(plan.nodes), 'operator')}, {_stateful(plan)} with state")


def _over(plan: CompiledPlan, target: str, forced: bool, how: _How) -> CompiledPlan:
    """The plan with what it keeps of the one that it overwrites; shows what differs.

    Raises:
        ProgramError: it would not go on with all state, or nobody can tell; not where it is forced.
    """
    from compiled_plan.plans.files import quoted
    from compiled_plan.plans.inspection.checked_plans import plan_from_file

    try:
        old = plan_from_file(target)
    except CompiledPlanError as fault:
        if not forced:
            raise ProgramError(
                f"cannot overwrite {target!r}, which is no plan that can be read: {fault.message}",
                where=quoted(target),
                remedy="give --force to overwrite it, or another file with -o",
            ) from None
        how.say(f"warning: uids and TTLs are not taken over from what was in {target}: {fault.message}")
        return plan
    from compiled_plan.plans.inspection.diff.advice import advice
    from compiled_plan.plans.inspection.diff.build import diff_plans
    from compiled_plan.plans.inspection.diff.text import advice_lines, diff_lines, verdict_line
    from compiled_plan.plans.inspection.judging.verdicts import Verdict
    from compiled_plan.plans.inspection.recompile import notes, recompile

    found = recompile(plan, old, edits=not how.program_ttls)
    diff = diff_plans(old, found.plan)
    verdict = verdict_line(diff)
    for note in notes(found, target):
        how.say(note)
    accepted = forced or diff.verdict is Verdict.FULL
    if not how.quiet:
        print_lines((*(() if diff.is_empty else diff_lines(diff)), verdict))
        if accepted and not diff.is_empty:
            print_lines(advice_lines(advice(diff, target)))
    if not accepted:
        raise ProgramError(
            f"nothing was written: the new plan does not go on with all state of the old one ({verdict.text})",
            where=quoted(target),
            remedy="give --force to write it all the same (what a checkpoint holds is not touched by that), "
            "another file with -o, or change the program back",
        )
    return found.plan


def _stateful(plan: CompiledPlan) -> int:
    return sum(1 for node in plan.nodes if node.ttl_entries)


def main() -> None:
    """The command."""
    run_app(app)


if __name__ == "__main__":
    main()
