"""`inspect-state`: show the state in a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.options import ShownState
from compiled_plan.cli.common.run_options import with_run_options
from compiled_plan.cli.common.terminal import Debug, ExitCode, SparkOptions, app_for, fail, run_app
from compiled_plan.commands.tied import end_with_stdin
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions

if TYPE_CHECKING:
    pass

app = app_for("inspect-state")


@app.command()
@with_run_options(only=("time_zone", "functions_from", "java_function"))
def inspect(
    options: RunOptions,
    checkpoint: Annotated[
        str,
        typer.Argument(
            metavar="CHECKPOINT", help="Checkpoint folder, local or any Hadoop URI; or that of a Flink savepoint."
        ),
    ],
    operator: Annotated[
        str, typer.Argument(metavar="[OPERATOR]", help="Uid of an operator, or the id of its node.")
    ] = "",
    plan: Annotated[
        str, typer.Option(metavar="PLAN.json", help="The plan that the job of a Flink savepoint ran.")
    ] = "",
    *,
    show: ShownState,
    jars: Annotated[
        list[str] | None,
        typer.Option(metavar="JAR", help="Jar with classes that are stored in the savepoint; repeatable."),
    ] = None,
    cluster: SparkOptions,
    warm: Annotated[
        str,
        typer.Option(
            metavar="10min", help="Keep Spark alive for that time, so that the next command with --warm starts at once."
        ),
    ] = "",
    progress_file: Annotated[
        str,
        typer.Option(metavar="FILE", help='Replace this file once a second by the numbers of tasks: {"done", "of"}.'),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document (schemas/state.schema.json).")] = False,
    debug: Debug = False,
) -> None:
    """Show the state in a checkpoint, also during a run. No run is started, and nothing is changed.

    Without OPERATOR: one line per operator, with its keys, rows and bytes, oldest and newest write, TTLs, number of
    expired rows and next expiry. With OPERATOR: rows by age, and rows by the time of their expiry. With --sink and
    --key: what each operator on the way to a row of a sink holds for it.

    A savepoint or retained checkpoint of Flink is shown in the same way with --plan; without it, its operators, the
    names of their states and the offsets of Kafka.

    With --advise: for each state entry, the TTL under which the share --keep of the uses so far would still have met
    their entry, and the rows and bytes that it removes. Uses are observed under the present TTL, so that a shorter one
    is advised; under a TTL of 0, any.

    Exit codes: 0 shown, 1 the checkpoint, operator or key does not exist or cannot be read, 2 wrong usage.
    """
    if show.sink and (operator or not show.key):
        raise typer.BadParameter("--sink takes --key, and no operator")
    if (show.key or show.export) and not (operator or show.sink):
        raise typer.BadParameter("--key and --export take one operator; name it, or name a --sink of the key")
    if bool(show.key) + bool(show.export) + bool(show.what_if) + show.advise > 1:
        raise typer.BadParameter("--what-if, --key, --export and --advise exclude each other")
    if show.keep and not show.advise:
        raise typer.BadParameter("--keep is a share for --advise; give it, too")
    settings = cluster.settings()
    if warm:
        from compiled_plan.cli.warm.client import run_warm

        alone = debug or bool(plan) or bool(options.functions_from)
        run_warm(warm, True, cluster.master, settings, alone=alone, silent=as_json, command="inspect_state")
    from compiled_plan.cli.actions import inspecting

    try:
        if not plan and inspecting.is_savepoint(checkpoint):
            if operator or show.what_if or show.advise:
                raise typer.BadParameter("operators of a Flink savepoint are those of its plan: give --plan PLAN.json")
            inspecting.list_savepoint(checkpoint, tuple(map(Path, jars or ())), as_json)
            return
        cluster_settings = cluster.master, settings
        with inspecting.reader_of(
            checkpoint, plan, options, jars or [], cluster_settings, progress_file, debug
        ) as reader:
            inspecting.show_state(reader, operator, show, as_json)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def main() -> None:
    """Entry point of `inspect-state`: errors become exit codes."""
    end_with_stdin()
    run_app(app)


if __name__ == "__main__":
    main()
