"""The shadow run of a plan beside the run of a checkpoint, for `execute-plan --shadow`."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.cli.actions.runs import session_of_runs
from compiled_plan.cli.common.running import Stop, print_line
from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.commands.interrupts import Interrupted
from compiled_plan.plans.errors import CheckpointError, CompiledPlanError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.shadow.rounds import Limits
from compiled_plan.plans.execution.shadow.shadow import shadow
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.plans.text.visible import counted

#: The lowest priority of a process.
_LEAST_PRIORITY = 19


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
    promote: bool,
    promote_when: str = "",
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
        progress_file: the file to which the report is appended after each round, and at the end; empty for none.
        promote: put the plan in force once the old run has stopped.
        promote_when: the file that has to exist before; the caller starts the plan.
        as_json: print the report as JSON.
        markdown: print it as Markdown.
        debug: print tracebacks.

    Returns:
        The exit code.

    Raises:
        Interrupted: a signal has ended it; the result so far is printed.
    """
    ending, stop = _Ending(), Stop(path, options.stop_seconds)
    if not promote or promote_when:
        # The old run on this machine has precedence. A process cannot take that back, and a promoted one becomes a run.
        os.nice(_LEAST_PRIORITY)
    try:
        session = session_of_command(*session_of_runs(options, [plan], master, settings), verbose=debug, meanwhile=None)
        progress = _Progress(progress_file, limits.reached if promote else lambda _: False)
        with session as spark, stop.heeded_by(ending), closing(progress):
            stopped = ending.requested.is_set
            due = Path(promote_when).exists if promote_when else lambda: True
            report = shadow(spark, plan, options, limits, progress.show, stopped, promote=promote, due=due)
            progress.append(report)
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
    if promote and report.promoted is None:
        refusal = CheckpointError(
            "--promote: the new plan differs otherwise than `diff-plan` names, and was not put in force",
            where=options.checkpoint,
            remedy="look at the examples; to start it all the same, stop the old run and start the plan with --upgrade",
        )
        fail(refusal, path, debug=debug)
        return ExitCode.FAILED
    return ExitCode.OK


class _Progress:
    """Prints the result so far to stderr, and appends reports to a file.

    Args:
        path: the file; empty for none.
        waits: returns True if a report is that of a shadow that waits for the end of the old run.
    """

    def __init__(self, path: str, waits: Callable[[ShadowReport], bool]) -> None:
        self._file, self._waits = ProgressFile(Path(path)) if path else None, waits
        self._last = ""

    def show(self, report: ShadowReport) -> None:
        """Print and append the result after a round; the same result again is only appended."""
        more = "; stop the old run to promote the shadow" if self._waits(report) else ""
        result = f"{counted(report.rows_in, 'row')}, {report.outcome.value}{more}"
        if result != self._last:
            print(f"round {report.rounds}: {result}", file=sys.stderr, flush=True)
        self._last = result
        self.append(report)

    def append(self, report: ShadowReport) -> None:
        """Append a report to the file."""
        if self._file is not None:
            self._file.tell({"event": "shadow", "report": report.to_dict()})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
