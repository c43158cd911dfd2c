"""`import-state`: start a checkpoint with the state of a Flink job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.run_options import PLAN_NAME, with_run_options
from compiled_plan.cli.common.terminal import Debug, ExitCode, SparkOptions, app_for, fail, run_app
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.flink.imports import ImportOptions

app = app_for("import-state")


@dataclass(frozen=True, slots=True)
class Choice:
    """The parts of a savepoint to take over, and how."""

    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE=POSITION",
            help="Position of a source: earliest; for Kafka also latest, or partition:0,offset:42;...; repeatable.",
        ),
    ] = None
    reset: Annotated[
        list[str] | None,
        typer.Option(metavar="UID", help="Start an operator empty, whose state is refused; all for all; repeatable."),
    ] = None
    written_at: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Time of last write of entries without one, such as 2026-01-31T12:00:00Z, from which TTLs count; by "
            "default the time of the import.",
        ),
    ] = ""
    allow_non_restored_state: Annotated[
        bool,
        typer.Option(
            "--allow-non-restored-state",
            help="Leave state of the savepoint behind that is of no operator of the plan.",
        ),
    ] = False
    jars: Annotated[
        list[str] | None,
        typer.Option(metavar="JAR", help="Jar with classes that are stored in the savepoint; repeatable."),
    ] = None

    def options(self) -> ImportOptions:
        """The options of the import.

        Raises:
            typer.BadParameter: one is malformed.
        """
        from compiled_plan.plans.execution.state.flink.imports import ImportOptions

        try:
            return ImportOptions.of(
                self.start or [],
                self.reset or [],
                self.written_at,
                self.jars or [],
                allow_non_restored_state=self.allow_non_restored_state,
            )
        except CompiledPlanError as fault:
            raise typer.BadParameter(str(fault)) from None


@app.command()
@with_run_options(only=("time_zone", "functions_from", "java_function", "secrets"))
def import_(
    options: RunOptions,
    savepoint: Annotated[
        str, typer.Argument(metavar="SAVEPOINT", help="Folder of a Flink savepoint or retained checkpoint.")
    ],
    plan: Annotated[str, typer.Argument(metavar="PLAN.json", help="The plan that the job ran.")],
    checkpoint: Annotated[
        str, typer.Option(metavar="DIR", help="New checkpoint folder, local or any Hadoop URI.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what is taken over, by operator, source and sink; write nothing.")
    ] = False,
    *,
    choice: Choice,
    cluster: SparkOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document (schemas/import.schema.json).")
    ] = False,
    debug: Debug = False,
) -> None:
    """Start a checkpoint with the state and the positions of a Flink job that ran the plan.

    Everything or nothing: if anything is refused, nothing is written. Then `execute-plan PLAN
    --checkpoint DIR` continues where the savepoint was taken.

    Exit codes: 0 imported, or all can be imported (--dry-run), 1 refused or failed, 2 wrong usage.
    """
    if not (dry_run or checkpoint):
        raise typer.BadParameter("--checkpoint DIR is missing, or --dry-run")
    if PLAN_NAME in checkpoint:
        raise typer.BadParameter(f"--checkpoint takes one folder, without {PLAN_NAME}")
    from compiled_plan.cli.actions.importing import import_state

    settings, chosen = cluster.settings(), choice.options()
    options = replace(options, checkpoint="" if dry_run else checkpoint)
    try:
        import_state(savepoint, plan, chosen, options, (cluster.master, settings), as_json=as_json, debug=debug)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def main() -> None:
    """Entry point of `import-state`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
