"""`execute-plan`: run plan files on Spark Structured Streaming."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from compiled_plan.cli.common.output import Output
from compiled_plan.cli.common.run_options import PLAN_NAME, checkpoint_of, with_run_options
from compiled_plan.cli.common.shadow_options import Shadowing
from compiled_plan.cli.common.terminal import Debug, ExitCode, SparkOptions, app_for, run_app, session_settings
from compiled_plan.commands.tied import end_with_stdin
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.secrets.sources import only_here

app = app_for("execute-plan")


@dataclass(frozen=True, slots=True)
class Acts:
    """Changes of a checkpoint without a run."""

    rollback: Annotated[
        bool, typer.Option("--rollback", help="Return to the checkpoint's previous generation; run nothing.")
    ] = False
    rewind_to: Annotated[
        str,
        typer.Option(
            metavar="BATCH|TIME|OFFSET",
            help="Return state, positions and output to an earlier micro-batch (57; 1/57 of generation 1), to the last "
            "one planned by a time (2026-05-01T17:00Z), or to the last one before an offset of a Kafka table "
            "(orders:0=1500); run nothing.",
        ),
    ] = ""
    keep_output: Annotated[
        bool, typer.Option("--keep-output", help="Leave the output of a rewind or its rollback in the tables.")
    ] = False
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the checkpoint's inactive generations; run nothing.")
    ] = False
    adopt_generation: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Activate generation N of a checkpoint whose head was lost; run nothing.",
        ),
    ] = None

    def chosen(self) -> list[str]:
        """The options that are given."""
        acts = {"--rollback": self.rollback, "--rewind-to": bool(self.rewind_to), "--prune": self.prune}
        acts["--adopt-generation"] = self.adopt_generation is not None
        return [option for option, chosen in acts.items() if chosen]


@app.command()
@with_run_options(
    cluster="host",
    set_="time_zone",
    acts="warm_up_from",
    shadowing="warm_up_from",
    warm="allow_clock_jump",
    keep_going="stop_within",
)
def execute(
    options: RunOptions,
    plans: Annotated[
        list[str] | None, typer.Argument(metavar="PLAN.json...", help="Plan files, run one after another.")
    ] = None,
    *,
    cluster: SparkOptions,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="K=V",
            help="Session option that the plan does not fix, such as "
            "table.exec.sink.nested-constraint-enforcer; repeatable.",
        ),
    ] = None,
    init: Annotated[
        list[str] | None,
        typer.Option(
            "--init",
            "-i",
            metavar="INIT.sql",
            help="SQL file with the CREATE FUNCTIONs of Python functions that a plan from Flink names; repeatable.",
        ),
    ] = None,
    acts: Acts,
    shadowing: Shadowing,
    warm: Annotated[
        str,
        typer.Option(
            metavar="10min",
            help="Keep Spark alive for that time, so that the next command with --warm starts at once; with 0s and "
            "without a plan: end the warm Spark.",
        ),
    ] = "",
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Run the next plan after a failure.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the plan, show its stages and the restored state; run nothing.")
    ] = False,
    output: Output,
    debug: Debug = False,
) -> None:
    """Run compiled plans on Spark.

    In --checkpoint, {plan} is the name of the plan file without .json.

    Data goes to stdout (print sinks), progress and errors to stderr. Exit codes: 0 all plans ran, 1 a plan failed or
    was refused, 2 wrong usage, 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM; a second signal ends the
    process at once.
    """
    plans, checkpoint = plans or [], options.checkpoint
    settings, chosen = cluster.settings(), acts.chosen()
    if warm:
        from compiled_plan.cli.warm.client import run_warm

        in_real_time = options.real_time_ms is not None
        alone = (
            debug
            or dry_run
            or bool(chosen)
            or shadowing.shadow
            or bool(options.functions_from)
            or in_real_time
            or only_here(options.secrets)
        )
        run_warm(warm, bool(plans), cluster.master, settings, alone=alone, silent=output.log or not output.is_text)
    _check_use(plans, checkpoint, chosen)
    if acts.keep_output and not (acts.rewind_to or acts.rollback):
        raise typer.BadParameter("--keep-output has an effect only with --rewind-to and --rollback")
    if dry_run and chosen and not acts.rewind_to:
        raise typer.BadParameter(f"{chosen[0]} has no dry run: leave --dry-run out")
    shadowing.check(plans, checkpoint, as_json=output.as_json)
    if checkpoint and len({checkpoint_of(path, checkpoint) for path in plans}) < len(plans):
        remedy = f"run several plans without --checkpoint, or with DIR/{PLAN_NAME}"
        raise typer.BadParameter(f"one checkpoint belongs to one plan; {remedy}")
    if chosen:
        from compiled_plan.cli.actions.generations import change_generations

        change_generations(
            checkpoint,
            rollback=acts.rollback,
            rewind_to=acts.rewind_to,
            keep_output=acts.keep_output,
            dry_run=dry_run,
            adopted=acts.adopt_generation,
            master=cluster.master,
            settings=settings,
            as_json=output.as_json,
        )
        raise typer.Exit(ExitCode.OK)
    output.check_address()
    from compiled_plan.cli.actions.reading import Reader, run_session

    reader = Reader(debug, not output.is_text, run_session(session_settings(set_ or [])), init or [])
    loaded = [(path, plan) for path in plans if (plan := reader.read(path, keep_going)) is not None]
    if dry_run and not (checkpoint and loaded):
        from compiled_plan.cli.actions.dry_running import show_stages

        raise typer.Exit(show_stages(loaded, reader, options, output.as_json))
    with ExitStack() as closing:
        if shadowing.shadow and loaded and not dry_run:
            from compiled_plan.cli.actions.shadowing import ShadowRun

            ((path, plan),) = loaded
            options = replace(options, checkpoint=checkpoint_of(path, checkpoint))
            shadow = ShadowRun(path, plan, options, shadowing, cluster.master, settings, output, debug)
            code = closing.enter_context(shadow.ended())
            if code or not shadowing.runs_on:
                raise typer.Exit(code)
            options = shadow.options_afterwards
        from compiled_plan.cli.actions.runs import Runs

        runs = Runs(options, cluster.master, settings, output, keep_going, dry_run, debug)
        failed = reader.failed + (runs.run(loaded) if loaded else 0)
        raise typer.Exit(ExitCode.FAILED if failed else ExitCode.OK)


def _check_use(plans: list[str], checkpoint: str, acts: Sequence[str]) -> None:
    """Raise if options contradict each other.

    Args:
        acts: the options that change a checkpoint without a run.
    """
    if not acts:
        if not plans:
            raise typer.BadParameter("name a plan file")
        return
    if len(acts) > 1:
        raise typer.BadParameter(f"{' and '.join(acts)} exclude each other: give one of them at a time")
    if plans or not checkpoint or PLAN_NAME in checkpoint:
        raise typer.BadParameter(f"{acts[0]} takes --checkpoint with a folder, and no plan")


def main() -> None:
    """Entry point of `execute-plan`: errors become exit codes."""
    end_with_stdin()
    run_app(app)


if __name__ == "__main__":
    main()
