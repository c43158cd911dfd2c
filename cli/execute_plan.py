"""`execute-plan`: run plan files on Spark Structured Streaming."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cli._common import ExitCode, app_for, console, fail, run_app
from plans.errors import CompiledPlanError
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from plans.execution.progress import BatchProgress
    from plans.execution.run import Run, RunResult

app = app_for()

INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143}


@app.command()
def execute(
    plans: Annotated[list[str], typer.Argument(metavar="PLAN.json...", help="Plan files, run one after another.")],
    checkpoint: Annotated[
        str, typer.Option(metavar="DIR", help="Checkpoint folder (local or any Hadoop URI); temporary if left out.")
    ] = "",
    trigger: Annotated[str, typer.Option(metavar="2s", help="Time between micro-batches of a continuous run.")] = "",
    available_now: Annotated[bool, typer.Option("--available-now", help="Read what is there now, then end.")] = False,
    max_files_per_batch: Annotated[
        int | None, typer.Option(metavar="N", help="Files of one folder that a micro-batch reads at most.")
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="Spark operator that hosts keyed state: transformWithState, flatMapGroupsWithState or native."
        ),
    ] = "transformWithState",
    master: Annotated[str, typer.Option(metavar="URL", help="Spark master, local[*] if left out.")] = "",
    conf: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Spark setting; repeatable.")] = None,
    time_zone: Annotated[
        str, typer.Option(metavar="ZONE", help="Time zone (table.local-time-zone), instead of what the plan says.")
    ] = "",
    functions_from: Annotated[
        list[str] | None,
        typer.Option(metavar="MODULE", help="A module (and all below it) that Python functions may be imported from."),
    ] = None,
    stop_within: Annotated[
        str, typer.Option(metavar="30s", help="Time that a stop waits for what runs; then the process ends anyhow.")
    ] = "30s",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on with the next plan after one that fails.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and show the stages; run nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Progress as JSON, one message a line, on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Run compiled plans on Spark.

    Data goes to stdout (print sinks), progress and errors to stderr. Exit codes: 0 all plans ran, 1 a plan failed or
    was refused, 2 wrong usage, 130 and 143 stopped by SIGINT and SIGTERM; a second signal ends the process at once.
    """
    if checkpoint and len(plans) > 1:
        raise typer.BadParameter("one checkpoint belongs to one plan; run several plans without --checkpoint")
    settings = _settings(conf or [])
    zone = _zone(time_zone)
    reader = _Reader(debug, quiet or as_json)
    loaded = {path: plan for path in plans if (plan := reader.read(path, keep_going)) is not None}
    from plans.durations import parse_duration
    from plans.execution.options import RunOptions

    try:
        options = RunOptions(
            checkpoint=checkpoint,
            trigger_ms=parse_duration(trigger) if trigger else None,
            available_now=available_now,
            host=host,
            max_files_per_batch=max_files_per_batch,
            functions_from=tuple(functions_from or ()),
            stop_seconds=parse_duration(stop_within) / 1000,
        )
    except CompiledPlanError as fault:
        raise typer.BadParameter(str(fault)) from None
    if dry_run:
        raise typer.Exit(_dry_run(loaded, reader, zone, host))
    failed = reader.failed
    if loaded:
        from plans.execution.session import spark_session

        with spark_session(master, settings, verbose=debug) as spark:
            from plans.execution.failures import translate
            from plans.execution.run import Run
            from plans.execution.stopping import StuckError

            for path, plan in loaded.items():
                show = _Progress(path, as_json, quiet)
                stop = _Stop(path, options.stop_seconds)
                try:
                    run = Run(spark, plan, options, _print_line, show.batch, zone)
                    with stop.heeded_by(run):
                        show.start(run)
                        show.end(run.execute())
                except Exception as fault:
                    if isinstance(fault, StuckError) and stop.signal is not None:
                        stop.end_now()
                    failed += 1
                    fail(fault if isinstance(fault, CompiledPlanError) else translate(fault), path, debug=debug)
                    if not keep_going:
                        break
                    continue
                if stop.signal is not None:
                    raise typer.Exit(INTERRUPTED[stop.signal])
    raise typer.Exit(ExitCode.FAILED if failed else ExitCode.OK)


class _Reader:
    """Reads plan files; counts those that cannot be read."""

    def __init__(self, debug: bool, quiet: bool) -> None:
        self.debug, self.quiet = debug, quiet
        self.failed = 0

    def read(self, path: str, keep_going: bool) -> CompiledPlan | None:
        """The plan of a file; None (and counted) when it is bad and the others are to run."""
        try:
            plan = CompiledPlan.read_file(path)
            if not self.quiet:
                _warn(path, plan)
            return plan
        except CompiledPlanError as fault:
            fail(fault, path, debug=self.debug)
            self.failed += 1
            if not keep_going:
                raise typer.Exit(ExitCode.FAILED) from None
            return None


def _zone(name: str) -> str | None:
    """The zone of the option; None where it is left out, or leaves it to the plan."""
    from plans import zones
    from plans.session_options import DEFAULT

    if name in ("", DEFAULT):
        return None
    found = zones.spelled(name)
    if found is None:
        raise typer.BadParameter(f"--time-zone {name}: there is no such time zone; {zones.REMEDY}")
    return found


def _warn(path: str, plan: CompiledPlan) -> None:
    """Say what is doubtful about the TTLs of a plan that a person may have edited."""
    from plans.editing.lint import bare_numbers

    for finding in bare_numbers(plan):
        console().print(f"warning: {path}: {finding.message}\n  at: {finding.where}\n  try: {finding.remedy}")


def _settings(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"--conf {pair}: write NAME=VALUE")
        found[name.strip()] = value
    return found


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _dry_run(plans: Mapping[str, CompiledPlan], reader: _Reader, time_zone: str | None, host: str) -> int:
    """Check plans and print their stages; no Spark starts."""
    from plans.execution.explain import stages_text

    failed = reader.failed
    for path, plan in plans.items():
        try:
            _print_line(stages_text(plan, time_zone, host))
        except CompiledPlanError as fault:
            fail(fault, path, debug=reader.debug)
            failed += 1
    return ExitCode.FAILED if failed else ExitCode.OK


class _Stop:
    """What SIGINT and SIGTERM do to a run: the first ends it, the second ends the process, and so does time."""

    def __init__(self, path: str, seconds: float) -> None:
        self.path, self.seconds = path, seconds
        self.signal: signal.Signals | None = None
        self.watch: threading.Timer | None = None
        self._run: Run | None = None

    @contextmanager
    def heeded_by(self, run: Run) -> Iterator[None]:
        """The signals concern this run."""
        self._run = run
        before = {number: signal.signal(number, self.on_signal) for number in INTERRUPTED}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """A signal came."""
        if self.signal is not None:
            self.end_now(f"{self.signal.name} came again")
        self.signal = signal.Signals(number)
        assert self._run is not None
        self._run.stop()
        # Until the process ends: Spark's own end may wait for the task, too.
        self.watch = threading.Timer(self.seconds, self.end_now)
        self.watch.daemon = True
        self.watch.start()

    def end_now(self, why: str = "") -> NoReturn:
        """End the process, and Spark's."""
        from plans.execution.stopping import kill_spark

        assert self.signal is not None and self._run is not None
        why = why or f"the run goes on, {self.seconds:g} s after {self.signal.name}"
        # Not by sys.stderr: a signal may come in the middle of a write to it.
        os.write(2, f"error: {self.path}: {why}: ended with its process, what was committed is kept\n".encode())
        kill_spark()
        self._run.remove_temporary()
        os._exit(INTERRUPTED[self.signal])


class _Progress:
    """Progress on stderr, as text or as JSON lines."""

    def __init__(self, path: str, as_json: bool, quiet: bool) -> None:
        self.path = path
        self.as_json = as_json
        self.quiet = quiet

    def start(self, run: Run) -> None:
        """The run begins."""
        how = "until its input ends" if run.bounded else "until it is stopped"
        if self.as_json:
            self._json({"event": "start", "version": 1, "plan": self.path, "bounded": run.bounded})
        elif not self.quiet:
            console().print(f"{Path(self.path).name}: running {how}", highlight=False)

    def batch(self, progress: BatchProgress) -> None:
        """A micro-batch is done."""
        if self.as_json:
            self._json(progress.to_json())
        elif not self.quiet:
            head = f"batch {progress.batch}: {progress.rows_in} rows in, {progress.rows_out} out, {progress.millis} ms"
            lines = [
                f"  {o.uid}: {o.rows_in} rows in, {o.rows_out} out, {o.state_rows} state rows"
                for o in progress.operators
            ]
            console().print("\n".join([head, *lines]), highlight=False)

    def end(self, result: RunResult) -> None:
        """The run is over."""
        if self.as_json:
            found = {"event": "end", "batches": result.batches, "rowsIn": result.rows_in, "stopped": result.stopped}
            self._json(found)
        elif not self.quiet:
            how = "stopped" if result.stopped else "finished"
            console().print(f"{how} after {result.batches} batches, {result.rows_in} rows in", highlight=False)

    def _json(self, message: dict[str, object]) -> None:
        sys.stderr.write(json.dumps(message) + "\n")
        sys.stderr.flush()


def main() -> None:
    """Entry of the command `execute-plan`."""
    run_app(app)


if __name__ == "__main__":
    main()
