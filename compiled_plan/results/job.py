"""Runs behind results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType
from compiled_plan.results.kinds import JobStatus


class Job(Protocol):
    """A run in the background."""

    @property
    def id(self) -> str:
        """The unique id of the run."""

    def chunks(self) -> Iterator[Chunk]:
        """The rows as they arrive; raise the error of a failed run."""

    @property
    def bounded(self) -> bool:
        """True if the run ends by itself."""

    @property
    def status(self) -> JobStatus:
        """The state: RUNNING, FINISHED, CANCELED or FAILED."""

    @property
    def runtime_ms(self) -> int:
        """The duration of an ended run in milliseconds."""

    def is_ready(self, seconds: float) -> bool:
        """Wait until the next rows or the end arrive; return False on a timeout."""

    def stop(self) -> None:
        """Cancel the run and wait for its end."""

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end, at most some seconds; return False on a timeout, raise the error of a failed run."""

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        """Call `report` at the end, with the state and the error of a failed run; at once if the run has ended."""

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> object:
        """The rows as a DataFrame of pandas, PyArrow or Spark, without row kinds."""
