"""Shadow runs of a pipeline, as jobs with the report so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.service.runs.jobs import Job

#: The longest shadow run in seconds, and the time that its start and its last round may take in addition.
LONGEST, MARGIN = 86_400.0, 3_600.0


@dataclass(eq=False)
class ShadowJob(Job):
    """A run of `execute-plan --shadow`.

    Attributes:
        limit: the number of rows, or else of seconds, after which it ends; 0 for the rows available at its start.
        by_rows: True if rows are limited.
    """

    limit: int = 0
    by_rows: bool = False
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
