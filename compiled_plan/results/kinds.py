"""Kinds of results, and the state and the end of a run.

Source: PyFlink's `ResultKind`, `JobStatus`, `JobExecutionResult`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ResultKind(Enum):
    """Kinds of statements by their result: SUCCESS for declarations, SUCCESS_WITH_CONTENT for all that have rows."""

    SUCCESS = 0
    SUCCESS_WITH_CONTENT = 1


class JobStatus(Enum):
    """States of a run. Runs here are RUNNING, FINISHED, CANCELED or FAILED."""

    CREATED = 0
    RUNNING = 1
    FAILING = 2
    FAILED = 3
    CANCELLING = 4
    CANCELED = 5
    FINISHED = 6
    RESTARTING = 7
    SUSPENDED = 8
    RECONCILING = 9

    @classmethod
    def at_end(cls, fault: BaseException | None, stopped: bool) -> JobStatus:
        """The state of an ended run.

        Args:
            fault: the error of a failed run.
            stopped: True if the run was cancelled before its end.
        """
        return cls.CANCELED if stopped else cls.FAILED if fault is not None else cls.FINISHED

    def is_globally_terminal_state(self) -> bool:
        """Return True if the run has ended."""
        return self in (JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED)

    def is_terminal_state(self) -> bool:
        """Return True if the run has ended or is suspended."""
        return self.is_globally_terminal_state() or self is JobStatus.SUSPENDED


@dataclass(frozen=True)
class JobExecutionResult:
    """The end of a run.

    Args:
        job_id: the run's id.
        net_runtime: its duration in milliseconds.
    """

    job_id: str
    net_runtime: int

    def get_job_id(self) -> str:
        """The id of the run, as in SHOW JOBS."""
        return self.job_id

    def get_net_runtime(self) -> int:
        """The duration of the run in milliseconds."""
        return self.net_runtime

    def get_accumulator_result(self, accumulator_name: str) -> object:
        """Return None: a table program has no accumulators."""
        return None

    def get_all_accumulator_results(self) -> dict[str, object]:
        """Return an empty dict: a table program has no accumulators."""
        return {}
