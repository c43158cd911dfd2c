"""Rows that a notebook shows before the program takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType, parse_type
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.preview import Preview
from compiled_plan.results.ready import FirstRows
from compiled_plan.results.table_result import TableResult

INSERT, BEFORE, AFTER = 0, 1, 2


class Batches:
    """A run whose micro-batches are there; after them it fails, ends, or waits for more rows."""

    id = "0" * 32
    runtime_ms = 5

    def __init__(self, *chunks: Chunk, end: str = "ended", bounded: bool = True, appends: bool = True) -> None:
        self.left, self.end, self.bounded, self.insert_only = list(chunks), end, bounded, appends
        self.status, self.waits = JobStatus.RUNNING, 0

    def chunks(self) -> Iterator[Chunk]:
        while self.left:
            yield self.left.pop(0)
        assert self.end != "waits", "the test would wait for ever"
        self.wait(None)

    def is_ready(self, seconds: float) -> bool:
        self.waits += 1
        return bool(self.left) or self.end != "waits"

    def stop(self) -> None:
        self.status, self.end, self.left = JobStatus.CANCELED, "ended", []

    def wait(self, seconds: float | None) -> bool:
        if self.end not in ("ended", "waits"):
            raise ExecutionError(self.end)
        return True

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        raise NotImplementedError

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> Any:
        return [kind, list(chunks)]


def inserts(*values: int) -> Chunk:
    return Chunk([INSERT] * len(values), [list(values)])


def result_of(job: Batches) -> TableResult:
    row_type = parse_type("ROW<n INT>")
    assert isinstance(row_type, RowType)
    return TableResult(row_type, job, insert_only=job.insert_only)


def values_of(result: TableResult) -> list[int]:
    return [row[0] for row in result.collect()]


def test_shown_rows_are_still_there_for_the_program() -> None:
    result = result_of(Batches(inserts(1, 2), inserts(3)))
    assert "3 rows" in result._repr_html_()
    assert result._repr_html_() == result._repr_html_()
    assert values_of(result) == [1, 2, 3]
    assert "<td" in result._repr_html_(), "shown rows stay shown"


def test_a_quiet_run_does_not_block_a_notebook() -> None:
    result = result_of(Batches(inserts(1), end="waits", bounded=False))
    assert "the first 1 row; the run continues" in result._repr_html_()
    assert "no rows yet; the run continues" in result_of(Batches(end="waits"))._repr_html_()


def test_a_cancelled_run_is_shown_as_such() -> None:
    result = result_of(Batches(inserts(1), end="waits", bounded=False))
    result._repr_html_()
    result.cancel()
    assert "1 row, canceled" in result._repr_html_()


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (JobStatus.FINISHED, "the first 2 rows"),
        (JobStatus.CANCELED, "the first 2 rows, canceled"),
        (JobStatus.FAILED, "the first 2 rows; the run failed: collect() raises its error after the last row"),
    ],
)
def test_a_run_that_has_ended_does_not_continue(status: JobStatus, state: str) -> None:
    job = Batches(inserts(*range(3)))
    job.status = status
    assert Preview(job).read(2, 1).state == state


def test_a_long_result_is_cut() -> None:
    preview = Preview(Batches(inserts(*range(3)), inserts(*range(3)), inserts(7)))
    shown = preview.read(4, 1)
    assert [len(chunk.kinds) for chunk in shown.chunks] == [3, 1]
    assert shown.state == "the first 4 rows; the run continues: collect() reads on, cancel() ends it"
    assert [row for chunk in preview.chunks() for row in chunk.columns[0]] == [0, 1, 2, 0, 1, 2, 7]


def test_a_failure_is_shown_and_still_raised() -> None:
    result = result_of(Batches(inserts(1), end="<the disk> is full; password=open-sesame"))
    html = result._repr_html_()
    assert "failed: &lt;the disk&gt; is full" in html
    assert "open-sesame" not in html
    rows = result.collect()
    assert next(rows)[0] == 1
    with pytest.raises(ExecutionError, match="is full"):
        next(rows)


def test_taken_rows_are_not_shown() -> None:
    result = result_of(Batches(inserts(1)))
    assert values_of(result) == [1]
    assert "were taken already" in result._repr_html_()


UPDATES = Chunk([INSERT, INSERT], [[1, 5]]), Chunk([BEFORE, AFTER], [[1, 2]])


@pytest.mark.parametrize(
    ("job", "count", "expected"),
    [
        (Batches(inserts(1, 2), inserts(3, 4), end="waits", bounded=False), 3, [1, 2, 3]),
        (Batches(inserts(1)), 3, [1]),
        (Batches(*UPDATES, appends=False), 1, [5]),
        (Batches(*UPDATES, end="waits", appends=False, bounded=False), 3, [5, 2]),
    ],
    ids=["enough", "fewer", "updates to the end", "updates without end"],
)
def test_first_rows_end_the_run(job: Batches, count: int, expected: list[int]) -> None:
    head = FirstRows(result_of(job), count)
    assert job.status is JobStatus.CANCELED
    assert values_of(head) == expected
    assert head.to_dataframe("pyarrow") == ["pyarrow", [Chunk([0] * len(expected), [tuple(expected)])]]


def test_an_interrupt_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Batches()

    def interrupted(seconds: float | None) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(job, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        FirstRows(result_of(job), 3)
    assert job.status is JobStatus.CANCELED


def test_first_rows_as_text_and_html() -> None:
    head = FirstRows(result_of(Batches(Chunk([0, 0], [[7, None]]))), 5)
    assert repr(head) == str(head)
    assert str(head).splitlines()[1:5:2] == ["|      n |", "|      7 |"]
    assert "<NULL>" in str(head)
    assert "<small>INT</small>" in head._repr_html_()
    with pytest.raises(ProgramError, match="0 is no number of rows"):
        FirstRows(result_of(Batches()), 0)
