"""First rows within limits."""

from __future__ import annotations

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType, parse_type
from compiled_plan.results.bounded import CUT, MOST_TEXT, Limits, bounded_rows
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.table_result import TableResult
from tests.compiled_plan.results.test_preview import AFTER, BEFORE, INSERT, Batches, inserts, result_of

MANY = Limits(rows=100, seconds=5)


def texts(*values: str | None) -> TableResult:
    row_type = parse_type("ROW<s VARCHAR(2147483647)>")
    assert isinstance(row_type, RowType)
    return TableResult(row_type, Batches(Chunk([INSERT] * len(values), [list(values)])))


def test_all_rows_with_kinds_and_types() -> None:
    counts: list[int] = []
    job = Batches(inserts(1, 2), Chunk([BEFORE, AFTER], [[2, 3]]))
    document = bounded_rows(result_of(job), MANY, counts.append)
    assert [(row.kind, *row.values) for row in document.rows] == [("+I", "1"), ("+I", "2"), ("-U", "2"), ("+U", "3")]
    assert [(column.name, column.type) for column in document.columns] == [("n", "INT")]
    assert (document.ended, counts) == ("end", [2, 4])


@pytest.mark.parametrize(
    ("limits", "end", "rows", "ended"),
    [
        (Limits(rows=3, seconds=5), "waits", 3, "rows"),
        (Limits(rows=9, seconds=5, bytes=2), "waits", 2, "bytes"),
        (Limits(rows=9, seconds=0), "waits", 4, "seconds"),
    ],
)
def test_the_limit_that_ends_the_rows(limits: Limits, end: str, rows: int, ended: str) -> None:
    job = Batches(inserts(1, 2), inserts(3, 4), end=end, bounded=False)
    document = bounded_rows(result_of(job), limits)
    assert (len(document.rows), document.ended, job.status) == (rows, ended, JobStatus.CANCELED)


def test_long_values_are_cut_and_null_is_no_text() -> None:
    document = bounded_rows(texts("x" * MOST_TEXT, "x" * (MOST_TEXT + 1), None), MANY)
    assert [row.values for row in document.rows] == [["x" * MOST_TEXT], ["x" * MOST_TEXT + CUT], [None]]
    assert document.columns[0].type == "STRING"


def test_the_error_of_a_failed_run() -> None:
    with pytest.raises(ExecutionError, match="no broker"):
        bounded_rows(result_of(Batches(inserts(1), end="no broker")), MANY)
