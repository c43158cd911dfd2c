"""`apply-plan`: compile a program over the plan that runs, show the difference, ask, and start it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli._run_options import with_run_options
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    SessionOptions,
    SparkOptions,
    app_for,
    fail,
    print_lines,
    run_app,
    say,
)
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.files.paths import quoted

if TYPE_CHECKING:
    from compiled_plan.cli._runs import Runs
    from compiled_plan.cli.comparing.comparison import Comparison
    from compiled_plan.compiling.scripts import Session
    from compiled_plan.plans.inspection.checkpoints import Head
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
    try:
        step = _compared(program, session, options)
    except CompiledPlanError as fault:
        fail(fault, session.concerned(fault, program), debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
    from compiled_plan.cli._output import Output
    from compiled_plan.cli._runs import Runs

    output = Output(quiet=quiet, log=log)
    runs = Runs(options, cluster.master, settings, output, dry_run=dry_run, debug=debug, expected=step.head)
    _check(runs, program, step)
    if not dry_run and not step.is_same:
        _ask(options.checkpoint, yes)
    failed = runs.run([(program, step.plan)])
    raise typer.Exit(ExitCode.FAILED if failed else ExitCode.OK)


@dataclass(frozen=True, slots=True)
class _Step:
    """A plan to start, the head of the checkpoint that it was compared with, and whether they are equivalent."""

    plan: CompiledPlan
    head: Head | None
    is_same: bool = False


def _compared(program: str, session: Session, options: RunOptions) -> _Step:
    """Compile the program over the checkpoint's plan, and print what a start would do.

    Raises:
        CompiledPlanError: the program or the checkpoint cannot be read, or the start is refused.
    """
    from compiled_plan.cli.comparing.comparison import Comparison
    from compiled_plan.cli.comparing.sides import side_of
    from compiled_plan.plans.execution.state.checkpoint.leases import busy, owner_in
    from compiled_plan.plans.execution.state.checkpoint.locks import LOCK, is_alive
    from compiled_plan.plans.files.folders import folder_to_read
    from compiled_plan.plans.inspection.checkpoints import CheckpointReader

    checkpoint = options.checkpoint
    reader = CheckpointReader(folder_to_read(checkpoint))
    head = reader.head()
    if head is None:
        plan = side_of(program, session, say).plan
        say(f"checkpoint {reader.root.shown}: new, all operators start with empty state")
        return _Step(plan, head)
    owner = owner_in(reader.root, LOCK)
    if owner and is_alive(owner):
        held = busy(reader.root, owner)
        say(f"warning: {held.message}\n  try: stop that run before this plan starts")
    before = side_of(checkpoint, session, say)
    compared = Comparison.of(before, side_of(program, session, say, over=before))
    _print_difference(compared, options)
    return _Step(compared.after.plan, head, compared.diff.is_empty and not (options.reset or options.warm_up))


def _print_difference(compared: Comparison, options: RunOptions) -> None:
    """Print the difference and what a start makes of it.

    Raises:
        UpgradeError: the options do not permit the change of state.
    """
    from compiled_plan.plans.inspection.diff.concerns import accepts, concerns, reset_uids
    from compiled_plan.plans.inspection.diff.text import Line, diff_lines, verdict_line
    from compiled_plan.plans.inspection.judging.verdicts import worst

    diff, checkpoint = compared.diff, quoted(options.checkpoint)
    print_lines((*(() if diff.is_empty else diff_lines(diff)), verdict_line(diff)))
    reset = reset_uids(diff, options.reset, checkpoint)
    open_concerns = concerns(diff, reset)
    if options.warm_up:
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


def _check(runs: Runs, program: str, step: _Step) -> None:
    """Exit if the plan does not run, before any question."""
    fault = runs.refusal(program, step.plan)
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
    """Entry point of `apply-plan`."""
    run_app(app)


if __name__ == "__main__":
    main()
