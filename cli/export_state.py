"""`export-state`: write the state of a checkpoint as a savepoint of Flink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import Debug, ExitCode, SparkOptions, app_for, fail, run_app
from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    pass

app = app_for("export-state")


@app.command()
@with_groups
def export(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="Checkpoint folder, local or any Hadoop URI.")
    ],
    flink: Annotated[
        bool, typer.Option("--flink", help="Write a savepoint of Flink, in the canonical format.")
    ] = False,
    to: Annotated[str, typer.Option(metavar="DIR", help="New local folder for the savepoint.")] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what is exported, by operator and source; write nothing.")
    ] = False,
    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE=earliest", help="Write no position of a source, so that it begins in Flink; repeatable."
        ),
    ] = None,
    reset: Annotated[
        list[str] | None,
        typer.Option(metavar="UID", help="Have an operator start empty in Flink; all for all refused; repeatable."),
    ] = None,
    max_parallelism: Annotated[
        int, typer.Option(metavar="N", help="Number of key groups (pipeline.max-parallelism of the job).")
    ] = 128,
    *,
    cluster: SparkOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document (schemas/export.schema.json).")
    ] = False,
    debug: Debug = False,
) -> None:
    """Write the state and the positions of a checkpoint as a savepoint, with which Flink continues the plan.

    Everything or nothing: if the state of an operator is refused, nothing is written. Stop the run first.

    Exit codes: 0 exported, or all can be exported (--dry-run), 1 refused or failed, 2 wrong usage.
    """
    if not flink:
        raise typer.BadParameter("--flink is missing: it is the only form")
    if not (dry_run or to):
        raise typer.BadParameter("--to DIR is missing, or --dry-run")
    from compiled_plan.cli.actions.exporting import ExportOptions, export_state

    settings = cluster.settings()
    try:
        chosen = ExportOptions.of(start or [], reset or [], max_parallelism)
    except CompiledPlanError as fault:
        raise typer.BadParameter(str(fault)) from None
    try:
        export_state(
            checkpoint, "" if dry_run else to, chosen, (cluster.master, settings), as_json=as_json, debug=debug
        )
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def main() -> None:
    """Entry point of `export-state`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
