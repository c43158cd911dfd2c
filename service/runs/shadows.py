"""Shadow runs of a pipeline, as jobs with the report so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiled_plan.plans.execution.shadow.report import Outcome
from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.plans.text.secrets import hidden
from compiled_plan.service.runs.endings import Ending
from compiled_plan.service.runs.endings import Outcome as End
from compiled_plan.service.runs.jobs import Job

#: The longest shadow run in seconds, and the time that its start and its last round may take in addition.
LONGEST, MARGIN = 86_400.0, 3_600.0
#: The file that lets a shadow run take over.
TAKE_OVER = "take-over"


@dataclass(eq=False)
class ShadowJob(Job):
    """A run of `execute-plan --shadow`.

    Attributes:
        limit: the number of rows, or else of seconds, after which it ends; 0 for the rows available at its start.
        by_rows: True if rows are limited.
        version: the version that runs.
        promotes: True if it follows the run after the comparison, and can take over.
        corrects: True if it corrects the tables of sinks when it takes over.
        takes_over: True once it is to take over: nothing else starts until its end.
    """

    limit: int = 0
    by_rows: bool = False
    version: int = 0
    promotes: bool = False
    corrects: bool = False
    takes_over: bool = field(default=False, init=False)
    _is_told: bool = field(default=False, init=False)
    _report: dict[str, object] | None = field(default=None, init=False)

    @property
    def so_far(self) -> dict[str, object] | None:
        """The report after the last round; None before the first. A cancelled job keeps that of the last query."""
        if self.result is not None:
            return self.result
        path = self.progress
        if path is not None:
            self._report = next((message["report"] for message in last_messages(path)), self._report)
        return self._report

    @property
    def outcome(self) -> Outcome | None:
        """The outcome so far; None before the first round."""
        report = self.so_far
        return None if report is None else Outcome(report["outcome"])

    @property
    def follows(self) -> bool:
        """Return True if the comparison is over, and the run is followed."""
        done, limit = self.tasks
        return self.promotes and not self.is_over and self.outcome is not None and done >= limit

    def take_over(self) -> None:
        """Let it take over once the run has stopped."""
        with self._guard:
            if self._folder is not None:
                (self._folder / TAKE_OVER).touch()
            self._is_told = True

    def withdraw(self) -> None:
        """Stop it, if it was told to take over."""
        if self._is_told:
            self.cancel()

    def read_last(self) -> None:
        _ = self.so_far

    @property
    def tasks(self) -> tuple[int, int]:
        """The progress towards the limit."""
        report = self.so_far
        if report is None or not self.limit:
            return 0, 0
        number = report["rows_in"] if self.by_rows else report["seconds"]
        assert isinstance(number, int | float)
        return min(int(number), self.limit), self.limit

    def cancel(self) -> None:
        """Stop the run, which removes its copies; keep the report so far."""
        _ = self.so_far
        super().cancel()


def not_promoted(job: Job | None) -> Ending:
    """The end of an upgrade whose shadow run has not taken over."""
    if job is None or job.fault is None:
        return Ending(End.REFUSED, "the shadow ended before it took over", "", "compare again, or migrate")
    fault = job.fault
    return Ending(End.REFUSED, *(hidden(text, job.secrets) for text in (fault.message, fault.where, fault.remedy)))
