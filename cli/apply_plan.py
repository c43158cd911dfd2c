"""`apply-plan`: compile a program over the plan that runs, show the difference, ask, and start it."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.run_options import with_run_options
from compiled_plan.cli.common.terminal import Debug, ExitCode, SessionOptions, SparkOptions, app_for, fail, run_app, say
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import MIGRATE_PARTIAL, RunOptions

if TYPE_CHECKING:
    from compiled_plan.cli.actions.runs import Runs
    from compiled_plan.plans.plan import CompiledPlan

app = app_for("apply-plan")


class Allowed(Enum):
    """Changes of the state that a start may make."""

    PARTIAL = "partial"


@app.command()
@with_run_options(cluster="host", opening="time_zone", dry_run="allow_clock_jump")
def apply(
    options: RunOptions,
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="The program, .sql or .py; `-` reads SQL from stdin. Or a plan file."),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start without a question.")] = False,
    allow: Annotated[
        Allowed | None,
        typer.Option(
            "--allow", metavar="partial", help="Start with partly compatible state, like --upgrade migrate-partial."
        ),
    ] = None,
    *,
    cluster: SparkOptions,
    opening: SessionOptions,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the difference and the steps of the start; start nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    log: Annotated[bool, typer.Option("--log", help="Progress as log lines with time and level.")] = False,
    debug: Debug = False,
) -> None:
    """Compile a program over the plan that runs in a checkpoint, show the difference, ask, and start it.

    Exit codes: 0 the plan ran, or nothing is to be done (--dry-run); 1 refused, failed, or answered with no; 2 wrong
    usage, or no terminal to ask on and no --yes; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.

    Operators keep their uids and edited TTLs, as with compile-plan -o. The difference is that of diff-plan; a start
    that execute-plan would refuse is refused before the question. Compiling and comparing start no Spark. The plan that
    starts is the one shown: if another program was started on the checkpoint meanwhile, nothing starts. Without a
    checkpoint there, the program starts with empty state. Stop a run that holds the checkpoint first.
    """
    if not options.checkpoint:
        raise typer.BadParameter("apply-plan needs --checkpoint: the folder of the running plan, or of a new one")
    if allow is Allowed.PARTIAL:
        options = replace(options, upgrade=MIGRATE_PARTIAL)
    settings, session = cluster.settings(), opening.session()
    from compiled_plan.cli.actions.applying import compared_with_checkpoint

    try:
        step = compared_with_checkpoint(program, session, options)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, program), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    from compiled_plan.cli.actions.runs import Runs
    from compiled_plan.cli.common.output import Output

    output = Output(quiet=quiet, log=log)
    runs = Runs(options, cluster.master, settings, output, dry_run=dry_run, debug=debug, expected=step.head)
    _check(runs, program, step.plan)
    if not dry_run and not step.is_same:
        _ask(options.checkpoint, yes)
    failed = runs.run([(program, step.plan)])
    raise typer.Exit(ExitCode.FAILED if failed else ExitCode.OK)


def _check(runs: Runs, program: str, plan: CompiledPlan) -> None:
    """Exit if the plan does not run, before any question."""
    fault = runs.refusal(program, plan)
    if fault is not None:
        fail(fault, program, debug=runs.debug)
        raise typer.Exit(ExitCode.FAILED)


def _ask(checkpoint: str, yes: bool) -> None:
    """Ask whether to start.

    Raises:
        typer.BadParameter: there is no terminal to ask on.
        typer.Exit: the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("nothing was started: stdin is no terminal to ask on; give --yes to start unasked")
    if not typer.confirm(f"Start this plan on {checkpoint}?", err=True):
        say("nothing was started")
        raise typer.Exit(ExitCode.FAILED)


def main() -> None:
    """Entry point of `apply-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
