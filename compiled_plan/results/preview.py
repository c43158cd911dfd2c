"""Rows of a run read ahead for display, without taking them from the reader."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.visible import counted
from compiled_plan.results.job import Job
from compiled_plan.results.kinds import JobStatus

#: Maximum number of rows in a notebook's output, and of seconds to wait for them.
SHOWN_ROWS, SECONDS = 20, 10.0


@dataclass(frozen=True, slots=True)
class Shown:
    """The first rows, and the state of their run."""

    chunks: Sequence[Chunk]
    state: str


class Preview:
    """The rows of a run, of which some are read ahead."""

    def __init__(self, job: Job) -> None:
        self._job, self._rows = job, job.chunks()
        self._ahead: list[Chunk] = []
        self._fault: CompiledPlanError | None = None
        self._ended = self._taken = False

    def read(self, count: int, seconds: float) -> Shown:
        """The first rows, at most `count`; wait for them at most some seconds."""
        deadline = time.monotonic() + seconds
        while not (self._ended or self._taken) and self._size < count:
            if not self._job.is_ready(max(0.0, deadline - time.monotonic())):
                break
            self._read_on()
        return Shown(_cut(self._ahead, count), self._state(count))

    def chunks(self) -> Iterator[Chunk]:
        """All rows as they arrive; raise the error of a failed run."""
        self._taken = True
        yield from self._ahead
        if self._fault is not None:
            raise self._fault
        if not self._ended:
            yield from self._rows

    @property
    def _size(self) -> int:
        return sum(len(chunk.kinds) for chunk in self._ahead)

    def _read_on(self) -> None:
        try:
            chunk = next(self._rows, None)
        except CompiledPlanError as fault:
            self._fault, self._ended = fault, True
            return
        if chunk is None:
            self._ended = True
        else:
            self._ahead.append(chunk)

    def _state(self, count: int) -> str:
        if self._fault is not None:
            return f"failed: {self._fault}"
        if self._ended and self._size <= count:
            return counted(self._size, "row") + _STATES.get(self._job.status, "")
        first = f"the first {counted(min(self._size, count), 'row')}" if self._size else "no rows yet"
        if self._job.status is not JobStatus.RUNNING:
            return first + _STATES[self._job.status]
        return (
            first if self._ended or self._taken else f"{first}; the run continues: collect() reads on, cancel() ends it"
        )


#: Ends of runs as remarks behind their rows.
_STATES = {
    JobStatus.FINISHED: "",
    JobStatus.CANCELED: ", canceled",
    JobStatus.FAILED: "; the run failed: collect() raises its error after the last row",
}


def _cut(chunks: Sequence[Chunk], count: int) -> list[Chunk]:
    """The first rows of chunks."""
    cut = []
    for chunk in chunks:
        cut.append(Chunk(chunk.kinds[:count], [column[:count] for column in chunk.columns]))
        count -= len(chunk.kinds)
        if count <= 0:
            break
    return cut
