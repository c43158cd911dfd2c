"""`inspect-state`: show the state in a checkpoint."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli._run_options import with_run_options
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    SparkOptions,
    app_for,
    fail,
    print_table,
    run_app,
)
from compiled_plan.commands.tied import end_with_stdin
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.checked_plans import plan_from_file

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.reading.reader import StateReader

app = app_for("inspect-state")


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of the state to show; by default figures."""

    what_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ENTRY=]DURATION",
            help="Simulate another TTL: 3d for all state entries, left=3d or 0=3d for one; repeatable.",
        ),
    ] = None
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Show the state of a key: id=5, name=NULL, name='NULL' for the text; repeatable.",
        ),
    ] = None
    export: Annotated[
        str, typer.Option(metavar="PATH", help="Write all state entries of the operator to a new folder, as Parquet.")
    ] = ""


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
    show: Shown,
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
    expired rows and next expiry. With OPERATOR: rows by age, and rows by the time of their expiry.

    A savepoint or retained checkpoint of Flink is shown in the same way with --plan; without it, its operators, the
    names of their states and the offsets of Kafka.

    Exit codes: 0 shown, 1 the checkpoint, operator or key does not exist or cannot be read, 2 wrong usage.
    """
    if (show.key or show.export) and not operator:
        raise typer.BadParameter("--key and --export take one operator; name it")
    if bool(show.key) + bool(show.export) + bool(show.what_if) > 1:
        raise typer.BadParameter("--what-if, --key and --export exclude each other")
    settings = cluster.settings()
    if warm:
        from compiled_plan.cli.warm.client import run_warm

        alone = debug or bool(plan) or bool(options.functions_from)
        run_warm(warm, True, cluster.master, settings, alone=alone, silent=as_json, command="inspect_state")
    try:
        from compiled_plan.plans.execution.state.flink.savepoint.reading import is_savepoint

        if not plan and is_savepoint(checkpoint):
            if operator or show.what_if:
                raise typer.BadParameter("operators of a Flink savepoint are those of its plan: give --plan PLAN.json")
            _list(checkpoint, tuple(map(Path, jars or ())), as_json)
            return
        from compiled_plan.plans.execution.session.kept import session_of_command
        from compiled_plan.plans.execution.spark.logs import silence_py4j
        from compiled_plan.plans.execution.state.reading.progress import with_progress
        from compiled_plan.plans.execution.state.reading.reader import StateReader

        if not debug:
            silence_py4j()
        with ExitStack() as stack:
            spark = session_of_command(cluster.master, settings, verbose=debug, meanwhile=None)
            started = partial(stack.enter_context, with_progress(spark, progress_file))
            if plan:
                from compiled_plan.plans.execution.state.flink.viewing import viewed

                reader = stack.enter_context(viewed(checkpoint, plan_from_file(plan), options, jars or [], started))
            else:
                reader = StateReader.open(started(), checkpoint)
            _show(reader, operator, show, as_json)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _list(path: str, jars: Sequence[Path], as_json: bool) -> None:
    from compiled_plan.cli._state_text import LISTED, about_savepoint, listing
    from compiled_plan.plans.execution.state.flink.listing import listed
    from compiled_plan.plans.execution.state.reading.model import SavepointHeads
    from compiled_plan.plans.text.documents import to_json

    report = listed(path, jars)
    if as_json:
        _print(to_json(SavepointHeads(savepoint=report)))
        return
    typer.echo(about_savepoint(report), err=True)
    if report.operators:
        print_table(LISTED, listing(report))
    else:
        _print("no operator of the savepoint has state\n")


def _show(reader: StateReader, name: str, show: Shown, as_json: bool) -> None:
    from compiled_plan.cli._state_text import COLUMNS, about, key_lines, operator_lines, overview, unread_lines
    from compiled_plan.plans.execution.state.reading.figures import tried_of
    from compiled_plan.plans.execution.state.reading.keys import key_of
    from compiled_plan.plans.execution.state.reading.model import Exported, Figures, KeyEntries
    from compiled_plan.plans.text.documents import to_json

    operator = reader.operator(name) if name else None
    if operator is not None and show.key:
        from compiled_plan.plans.execution.state.reading.content import key_report

        entries = key_report(reader, operator, key_of(show.key))
        _print(to_json(KeyEntries(entries=entries)) if as_json else _lines(key_lines(entries)))
        return
    if operator is not None and show.export:
        from compiled_plan.plans.execution.state.reading.entries import export

        rows = export(reader, operator, show.export)
        done = Exported(uid=operator.uid, path=show.export, rows=rows)
        _print(to_json(done) if as_json else f"{operator.uid}: {rows} rows written to {show.export}\n")
        return
    from compiled_plan.plans.execution.state.reading.figures import state_report

    tried = tried_of(show.what_if or [], operator)
    report = state_report(reader, None if operator is None else [operator.uid], tried=tried)
    if as_json:
        _print(to_json(Figures(state=report)))
    elif operator is None and not show.what_if:
        typer.echo(about(report), err=True)
        if report.operators:
            print_table(COLUMNS, overview(report))
        else:
            _print("no operator of the plan has state\n")
        _print(_lines(unread_lines(report)))
    else:
        typer.echo(about(report), err=True)
        for stateful in report.operators:
            _print(_lines(operator_lines(stateful, report.at)))
        _print(_lines(unread_lines(report, operator)))


def _lines(lines: object) -> str:
    return "".join(f"{line}\n" for line in lines)  # type: ignore[attr-defined]


def _print(text: str) -> None:
    sys.stdout.write(text)


def main() -> None:
    """Entry point of `inspect-state`."""
    end_with_stdin()
    run_app(app)


if __name__ == "__main__":
    main()
