"""The shadow run of a plan beside the run of a checkpoint, for `execute-plan --shadow`."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from compiled_plan.cli.actions.runs import session_of_runs
from compiled_plan.cli.common.output import Output
from compiled_plan.cli.common.running import Stop, print_line
from compiled_plan.cli.common.shadow_options import Shadowing
from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.commands.interrupts import Interrupted
from compiled_plan.plans.errors import CheckpointError, CompiledPlanError
from compiled_plan.plans.execution.session.kept import kept_session, session_of_command
from compiled_plan.plans.execution.session.options import CHECK, RunOptions
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


@dataclass(frozen=True, slots=True)
class ShadowRun:
    """A shadow run of a command.

    Args:
        path: the plan file.
        plan: its plan.
        options: the options of its start on the checkpoint.
        shadowing: the extent, and the promotion.
        master: the master of Spark.
        settings: the settings of the session.
        output: the form of the report, and the file to which it is appended after each round.
        debug: print tracebacks.
    """

    path: str
    plan: CompiledPlan
    options: RunOptions
    shadowing: Shadowing
    master: str
    settings: Mapping[str, str]
    output: Output
    debug: bool

    @property
    def options_afterwards(self) -> RunOptions:
        """The options of the promoted plan's run: the promotion has changed the state as those of its start say."""
        return replace(self.options, upgrade=CHECK, reset=(), warm_up=(), warm_up_from=None)

    @contextmanager
    def ended(self) -> Iterator[int]:
        """Run it, and print the report; return the exit code. A promoted plan gets the session within the context.

        Raises:
            Interrupted: a signal has ended it; the result so far is printed.
        """
        with kept_session() if self.shadowing.runs_on else nullcontext():
            yield self._run()

    def _run(self) -> int:
        ending, stop, promote = _Ending(), Stop(self.path, self.options.stop_seconds), self.shadowing.promote
        if not self.shadowing.runs_on:
            # The old run on this machine has precedence. A process cannot take that back.
            os.nice(_LEAST_PRIORITY)
        try:
            with stop.heeded_by(ending):
                report = self._report(ending.requested.is_set)
        except Interrupted:
            raise
        except Exception as fault:
            if stop.signal is not None:
                # The signal may have ended Spark's processes, too.
                raise Interrupted(stop.signal, reported=False) from fault
            fail(fault if isinstance(fault, CompiledPlanError) else translate(fault), self.path, debug=self.debug)
            return ExitCode.FAILED
        lines = report.markdown() if self.shadowing.markdown else report.lines()
        print_line(json.dumps(report.to_dict()) if self.output.as_json else "\n".join(lines))
        if stop.signal is not None:
            raise Interrupted(stop.signal, reported=True)
        if promote and report.promoted is None:
            refusal = CheckpointError(
                "--promote: the new plan differs otherwise than `diff-plan` names, and was not put in force",
                where=self.options.checkpoint,
                remedy="look at the examples; to start it all the same, stop the old run and start the plan with "
                "--upgrade",
            )
            fail(refusal, self.path, debug=self.debug)
            return ExitCode.FAILED
        return ExitCode.OK

    def _report(self, stopped: Callable[[], bool]) -> ShadowReport:
        chosen, when = self.shadowing, self.shadowing.promote_when
        limits = Limits(chosen.seconds, chosen.rows, chosen.shadow_share)
        due = Path(when).exists if when else lambda: True
        place = session_of_runs(self.options, [self.plan], self.master, self.settings)
        session = session_of_command(*place, verbose=self.debug, meanwhile=None)
        progress = _Progress(self.output.progress_file, limits.reached if chosen.promote else lambda _: False)
        with session as spark, closing(progress):
            how = (limits, progress.show, stopped)
            report = shadow(spark, self.plan, self.options, *how, promote=chosen.promote, due=due)
            progress.append(report)
        return report


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
