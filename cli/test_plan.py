"""`test-plan`: run tests of streaming programs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli._run_options import SecretSources, set_default_secrets
from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import (
    Conf,
    Debug,
    ExitCode,
    SparkOptions,
    app_for,
    fail,
    print_lines,
    run_app,
)
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.engine import Engines
    from compiled_plan.testing.cases import Case

app = app_for("test-plan")
_POLL_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class _How:
    """Options of a run of tests."""

    spark: Annotated[bool, typer.Option("--spark", help="Run each test as a streaming query on Spark.")] = False
    names: Annotated[
        str, typer.Option("-k", metavar="TEXT", help="Run only the tests whose file or name contains the text.")
    ] = ""
    update: Annotated[
        bool, typer.Option("--update", help="Write what came into the files, instead of other expectations.")
    ] = False
    watch: Annotated[bool, typer.Option("--watch", help="Run the tests again whenever one of their files changes.")] = (
        False
    )
    junit: Annotated[str, typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML.")] = ""

    def is_given(self) -> bool:
        """Return True if an option is given."""
        return self != _How()


@dataclass(frozen=True, slots=True)
class _Recording:
    """Options of a test that is written from a run."""

    from_run: Annotated[
        str,
        typer.Option(
            metavar="CHECKPOINT",
            help="Write a test of the run on this checkpoint: a sample of its input, and the result.",
        ),
    ] = ""
    rows: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of rows of each table, for --from-run.")
    ] = 100
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File of the test, for --from-run; by default it is named after the checkpoint.",
        ),
    ] = ""
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files, for --from-run.")] = False


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
    how: _How,
    recording: _Recording,
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
        _record(recording, (places or [""])[0], settings, quiet, debug)
        return
    if recording.output or recording.force:
        raise typer.BadParameter("-o and --force need --from-run")
    if how.watch and how.update:
        raise typer.BadParameter("--watch and --update contradict each other")
    with ExitStack() as stack:
        engines: Engines | None = None
        while True:
            cases, refused = _cases(places or ["."], how.names, debug)
            before = _times(places or ["."], cases)
            if engines is None and cases:
                from compiled_plan.plans.execution.testing.sessions import own_engines

                engines = stack.enter_context(own_engines(settings))
            failed = _run(cases, engines, how, quiet) if engines is not None else False
            if not how.watch:
                raise typer.Exit(ExitCode.FAILED if failed or refused else ExitCode.OK)
            _wait_for_change(places or ["."], cases, before)


def _record(options: _Recording, program: str, settings: Mapping[str, str], quiet: bool, debug: bool) -> None:
    """Write a test of the run on a checkpoint."""
    try:
        from compiled_plan.plans.execution.testing.sessions import own_session
        from compiled_plan.testing.recording import Recording

        recording = Recording.of(options.from_run, options.output, program, options.rows, force=options.force)
        with own_session(settings) as spark:
            for remark in recording.write(spark):
                if not quiet:
                    print(remark)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _cases(places: Sequence[str], names: str, debug: bool) -> tuple[list[Case], bool]:
    """The chosen tests, and True if a file was refused."""
    from compiled_plan.testing.cases import cases_in, files_in, no_tests

    cases: list[Case] = []
    refused = False
    for place in places:
        try:
            files = files_in(place)
            if not files:
                raise no_tests(place)
            for file in files:
                cases += cases_in(file)
        except CompiledPlanError as fault:
            fail(fault, debug=debug)
            refused = True
    chosen = [case for case in cases if names.lower() in f"{case.document.path} {case.name}".lower()]
    if cases and not chosen:
        fail(no_tests(" and ".join(places), names), debug=debug)
        refused = True
    return chosen, refused


def _run(cases: Sequence[Case], engines: Engines, how: _How, quiet: bool) -> bool:
    """Run tests and print their results; return True if one failed."""
    from compiled_plan.plans.execution.testing.engine import QUICK, SPARK
    from compiled_plan.testing.reporting import failure_lines, junit, result_lines, summary_line
    from compiled_plan.testing.running import run_case
    from compiled_plan.testing.updating import update

    begin, results = time.monotonic(), []
    for case in cases:
        result = run_case(case, engines, SPARK if how.spark else QUICK, collect=how.update)
        results.append(result)
        if not quiet or result.failure is not None:
            print_lines(result_lines(result, notes=not quiet), stderr=False)
    for result in results:
        if result.failure is not None:
            print()
            print_lines(failure_lines(result.failure), stderr=False)
    seconds = time.monotonic() - begin
    for path, count in update(results).items() if how.update else ():
        print(f"{path}: {counted(count, 'expectation')} updated")
    print_lines([summary_line(results, seconds)], stderr=False)
    if how.junit:
        from compiled_plan.plans.files import write_text

        write_text(how.junit, junit(results, seconds))
    return any(result.failure is not None for result in results)


def _wait_for_change(places: Sequence[str], cases: Sequence[Case], before: Mapping[Path, int]) -> None:
    """Wait until a file of the tests, or one that they name, has other times than before."""
    while _times(places, cases) == before:
        time.sleep(_POLL_SECONDS)


def _times(places: Sequence[str], cases: Sequence[Case]) -> dict[Path, int]:
    from compiled_plan.testing.cases import files_in

    named = [file for case in cases for file in case.files]
    files = {*(file for place in places for file in files_in(place)), *map(Path, named)}
    return {file: file.stat().st_mtime_ns for file in files if file.exists()}


def main() -> None:
    """Entry point of `test-plan`."""
    run_app(app)


if __name__ == "__main__":
    main()
