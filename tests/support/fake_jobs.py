"""Sessions whose queries return rows without Spark."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.table_result import TableResult
from compiled_plan.running.jobs import SessionJob


class FakeJob:
    """A run that returns rows, and then ends, fails, or goes on until it is stopped."""

    def __init__(self, chunks: Sequence[Chunk], fault: CompiledPlanError | None = None, endless: bool = False) -> None:
        self.id = f"{id(self):032x}"
        self.runtime_ms, self.bounded = 0, not endless
        self.status = JobStatus.RUNNING
        self._chunks, self._fault = chunks, fault
        self._end = threading.Event()
        self._reports: list[Callable[[JobStatus, BaseException | None], None]] = []
        if not endless:
            self._ends(JobStatus.at_end(fault, False))

    def chunks(self) -> Iterator[Chunk]:
        yield from self._chunks
        self.wait(None)

    def is_ready(self, seconds: float) -> bool:
        return True

    def stop(self) -> None:
        if not self._end.is_set():
            self._ends(JobStatus.CANCELED)

    def _ends(self, status: JobStatus) -> None:
        self.status = status
        self._end.set()
        for report in self._reports:
            report(status, self._fault)

    def wait(self, seconds: float | None) -> bool:
        if not self._end.wait(seconds):
            return False
        if self._fault is not None:
            raise self._fault
        return True

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        self._reports.append(report)
        if self._end.is_set():
            report(self.status, self._fault)

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: t.RowType) -> Any:
        raise NotImplementedError


ROW = t.row_of(["customer", "n"], [t.STRING, t.BIGINT])
ROWS = (Chunk([0, 0], [["ann", "bob"], [1, 1]]), Chunk([1, 2], [["ann", "ann"], [1, 2]]))


class FakeEnvironment(TableEnvironment):
    """A session in which SELECT and INSERT start a fake run, and all else is real."""

    def __init__(self, job: FakeJob | None = None, *, insert_only: bool = False) -> None:
        super().__init__()
        self.job, self.insert_only = job or FakeJob(ROWS), insert_only
        self.statements: list[str] = []

    def execute_sql(self, stmt: str) -> TableResult:
        text = stmt.strip()
        self.statements.append(text)
        if not text.startswith(("SELECT", "INSERT")):
            return super().execute_sql(stmt)
        collects = text.startswith("SELECT")
        self.context.jobs.append(SessionJob(self.job, "collect" if collects else "insert-into_a", collects=collects))
        if text == "INSERT WAITING":
            self.job.wait(None)
        return TableResult(ROW if collects else t.RowType(), self.job, insert_only=self.insert_only)


FAILURE = ExecutionError("the disk is full", remedy="empty it")
