"""`test-plan`: run tests of streaming programs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.options import RecordingOptions, TestOptions
from compiled_plan.cli.common.run_options import SecretSources, set_default_secrets
from compiled_plan.cli.common.terminal import Conf, Debug, ExitCode, SparkOptions, app_for, run_app

if TYPE_CHECKING:
    from compiled_plan.cli.actions.testing import RunTests

    pass

app = app_for("test-plan")


@app.command()
@with_groups
def test(
    places: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES|FOLDERS",
            help="Files of tests, or folders with files *.test.yaml; this folder by default. "
            "With --from-run, the program to test instead of the run's plan.",
        ),
    ] = None,
    *,
    how: TestOptions,
    recording: RecordingOptions,
    conf: Conf = None,
    secrets: SecretSources = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print failures only.")] = False,
    debug: Debug = False,
) -> None:
    """Run tests of streaming programs.

    A file of tests is YAML (schemas/plan-test.schema.json): a program, and steps that give rows to its sources, move
    the clock and the watermark, restart or upgrade the program, and expect rows of its sinks. Tables of the test
    replace the program's sources and sinks.

    Tests run in one process without a query. A plan or step that only a query can run goes to Spark by itself, as all
    do with --spark.

    --from-run records a test: it reads the first rows of the tables that the run reads, runs the program on them, and
    writes both into a file. It changes nothing in the checkpoint, also during the run.

    Exit codes: 0 all tests passed, 1 a test failed or a file was refused, 2 wrong usage.
    """
    set_default_secrets(secrets)
    settings = SparkOptions(conf=conf).settings()
    if recording.from_run:
        if len(places or ()) > 1 or how.is_given():
            raise typer.BadParameter("--from-run takes one program, and no options of runs of tests")
        from compiled_plan.cli.actions.recording import record

        record(recording, (places or [""])[0], settings, quiet, debug)
        return
    if recording.output or recording.force:
        raise typer.BadParameter("-o and --force need --from-run")
    if how.watch and how.update:
        raise typer.BadParameter("--watch and --update contradict each other")
    from compiled_plan.cli.actions.test_files import chosen_cases, times_of, wait_for_change

    with ExitStack() as stack:
        run: RunTests | None = None
        while True:
            cases, refused = chosen_cases(places or ["."], how.names, debug)
            before = times_of(places or ["."], cases)
            if run is None and cases:
                from compiled_plan.cli.actions.testing import opened_runs

                run = stack.enter_context(opened_runs(settings, how, quiet))
            failed = run(cases) if run is not None else False
            if not how.watch:
                raise typer.Exit(ExitCode.FAILED if failed or refused else ExitCode.OK)
            wait_for_change(places or ["."], cases, before)


def main() -> None:
    """Entry point of `test-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
