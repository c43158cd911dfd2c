"""The shadow run of a plan beside the run of a checkpoint, for `execute-plan --shadow`."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.cli.common.running import Stop, print_line
from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.commands.interrupts import Interrupted
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.session.lakes import with_lakes
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.shadow.shadow import Limits, shadow
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.progress_file import ProgressFile


@dataclass(slots=True)
class _Ending:
    """The end that a signal requests."""

    requested: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        self.requested.set()

    def remove_temporary(self) -> None:
        """Do nothing: the next shadow run removes the files of this one."""


def run_shadow(
    path: str,
    plan: CompiledPlan,
    options: RunOptions,
    limits: Limits,
    master: str,
    settings: Mapping[str, str],
    progress_file: str,
    *,
    as_json: bool,
    markdown: bool,
    debug: bool,
) -> int:
    """Run a plan beside a checkpoint, and print the report.

    Args:
        path: the plan file.
        plan: its plan.
        options: the options of its start on the checkpoint.
        limits: the extent of the run.
        master: the master of Spark.
        settings: the settings of the session.
        progress_file: the file to which the report is appended after each round; empty for none.
        as_json: print the report as JSON.
        markdown: print it as Markdown.
        debug: print tracebacks.

    Returns:
        The exit code.

    Raises:
        Interrupted: a signal has ended it; the result so far is printed.
    """
    ending, stop = _Ending(), Stop(path, options.stop_seconds)
    try:
        session = session_of_command(master, with_lakes(settings, [plan]), verbose=debug, meanwhile=None)
        with session as spark, stop.heeded_by(ending), _progress(progress_file) as tell:
            report = shadow(spark, plan, options, limits, tell, ending.requested.is_set)
    except Interrupted:
        raise
    except Exception as fault:
        if stop.signal is not None:
            # The signal may have ended Spark's processes, too.
            raise Interrupted(stop.signal, reported=False) from fault
        fail(fault if isinstance(fault, CompiledPlanError) else translate(fault), path, debug=debug)
        return ExitCode.FAILED
    lines = report.markdown() if markdown else report.lines()
    print_line(json.dumps(report.to_dict()) if as_json else "\n".join(lines))
    if stop.signal is not None:
        raise Interrupted(stop.signal, reported=True)
    return ExitCode.OK


@contextmanager
def _progress(path: str) -> Iterator[Callable[[ShadowReport], None]]:
    """Print the result so far to stderr, and append the report to a file."""
    file = ProgressFile(Path(path)) if path else None

    def tell(report: ShadowReport) -> None:
        line = f"round {report.rounds}: {report.rows_in} rows, {report.outcome.value}"
        print(line, file=sys.stderr, flush=True)
        if file is not None:
            file.tell({"event": "shadow", "report": report.to_dict()})

    try:
        yield tell
    finally:
        if file is not None:
            file.close()
