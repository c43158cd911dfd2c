"""The command that the service runs for a preview: `python -m compiled_plan.cli.preview_rows PLAN.json`.

It has no command of its own: its plans have a sink of the connector `collect`, which only `api.previews` makes.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli._run_options import with_run_options
from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail, run_app
from compiled_plan.commands.tied import end_with_stdin
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.secrets.sources import only_here
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.checked_plans import plan_from_file

if TYPE_CHECKING:
    from compiled_plan.testing.cases import Case

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
        from compiled_plan.plans.execution.secrets.values import Secrets
        from compiled_plan.plans.execution.session.kept import session_of_command
        from compiled_plan.plans.execution.spark.logs import silence_py4j
        from compiled_plan.plans.execution.testing.sessions import engines_of
        from compiled_plan.plans.plan.session_options import UTC, zones_of
        from compiled_plan.results.bounded import Limits, bounded_rows
        from compiled_plan.results.tableau import Display
        from compiled_plan.running.embedded import execute
        from compiled_plan.testing.sampling import sample_rows

        if not debug:
            silence_py4j()
        compiled, limits, secrets = plan_from_file(plan), Limits(rows, seconds), Secrets(options.secrets)
        if not sample:
            secrets.collect(compiled)
        case = _case(sample, test) if sample else None
        with session_of_command("", {}, verbose=debug, meanwhile=None) as spark:
            _report(progress_file, 0, rows)
            report = partial(_report, progress_file, of=rows)
            if case is not None:
                document = sample_rows(compiled, case, engines_of(spark, options.functions_from), limits, report)
            else:
                result = execute(compiled, options, secrets=secrets, display=Display((*zones_of(compiled), UTC)[0]))
                document = bounded_rows(result, limits, report)
        sys.stdout.write(document.model_dump_json())
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _case(sample: str, test: str) -> Case:
    from compiled_plan.testing.cases import case_named, cases_of_text

    return case_named(cases_of_text(Path(sample).read_text(encoding="utf-8")), test)


def _report(file: str, done: int, of: int) -> None:
    if file:
        new = Path(f"{file}.new")
        new.write_text(json.dumps({"done": done, "of": of}))
        new.replace(file)


def main() -> None:
    """Entry point of the module."""
    end_with_stdin()
    run_app(app)


if __name__ == "__main__":
    main()
