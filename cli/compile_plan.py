"""`compile-plan`: compile a table program to a plan file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.options import PlanFileOptions
from compiled_plan.cli.common.terminal import Debug, ExitCode, SessionOptions, app_for, fail, run_app
from compiled_plan.compiling.scripts import compiled
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files import exists

if TYPE_CHECKING:
    pass

app = app_for("compile-plan")


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
    how: PlanFileOptions,
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
    from compiled_plan.cli.actions.compiling import write

    try:
        if output and how.if_not_exists and exists(output):
            how.say(f"{output} exists; nothing was written")
        else:
            write(compiled(program, session, how.say), output, how)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, program), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def main() -> None:
    """Entry point of `compile-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
