"""The command that the service runs for a preview: `python -m compiled_plan.cli.preview_rows PLAN.json`.

It has no command of its own: its plans have a sink of the connector `collect`, which only `api.previews` makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.run_options import with_run_options
from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail, run_app
from compiled_plan.commands.tied import end_with_stdin
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.secrets.sources import only_here

if TYPE_CHECKING:
    pass

app = app_for("preview-rows")


@app.command()
@with_run_options(only=("functions_from", "secrets"))
def preview(
    options: RunOptions,
    plan: Annotated[str, typer.Argument(metavar="PLAN.json", help="The plan of a preview.")],
    rows: Annotated[int, typer.Option(help="Maximum number of rows.", min=1)] = 100,
    seconds: Annotated[float, typer.Option(help="Maximum time once Spark runs.", min=0)] = 30.0,
    warm: Annotated[str, typer.Option(metavar="5min", help="Keep Spark alive for that time.")] = "",
    sample: Annotated[str, typer.Option(metavar="FILE", help="Tests whose rows take the place of the sources.")] = "",
    test: Annotated[str, typer.Option(help="The test of the sample.")] = "",
    progress_file: Annotated[str, typer.Option(help='Replaced by the numbers of rows: {"done", "of"}.')] = "",
    debug: Debug = False,
) -> None:
    """Print the first rows of a plan as a JSON document. It writes no data, and no checkpoint."""
    if warm:
        from compiled_plan.cli.warm.client import run_warm

        run_warm(
            warm,
            True,
            "",
            {},
            alone=bool(options.functions_from) or only_here(options.secrets),
            silent=True,
            command="preview_rows",
        )
    try:
        from compiled_plan.cli.actions.previewing import print_preview

        print_preview(plan, options, rows, seconds, sample, test, progress_file, debug=debug)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def main() -> None:
    """Entry point of the module."""
    end_with_stdin()
    run_app(app)


if __name__ == "__main__":
    main()
