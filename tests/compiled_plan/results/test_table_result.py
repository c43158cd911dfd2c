"""Results without Spark: `collect(data_type)` and its errors for a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from compiled_plan.plans.errors import DataError, ExecutionError, ProgramError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType, parse_type
from compiled_plan.plans.types.conversions import DataTypeConverter
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.row import Row, RowKind
from compiled_plan.results.kinds import JobExecutionResult, JobStatus
from compiled_plan.results.table_result import JobClient, TableResult


class Fake:
    """A run of one column that returns a row per chunk, and records whether it was stopped."""

    id = "0" * 32
    runtime_ms = 5
    bounded = True

    def __init__(self, values: Sequence[Any]) -> None:
        self.values, self.status, self.fault = values, JobStatus.RUNNING, ""

    def chunks(self) -> Iterator[Chunk]:
        for value in self.values:
            yield Chunk([0], [[value]])

    def is_ready(self, seconds: float) -> bool:
        return True

    def stop(self) -> None:
        self.status = JobStatus.CANCELED

    def wait(self, seconds: float | None) -> bool:
        if self.fault:
            raise ExecutionError(self.fault)
        return self.status is not JobStatus.RUNNING

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        raise NotImplementedError

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> Any:
        raise NotImplementedError


def result(*values: Any, columns: str = "ROW<price INT>") -> tuple[TableResult, Fake]:
    run = Fake(values)
    type_ = parse_type(columns)
    assert isinstance(type_, RowType)
    return TableResult(type_, run), run


class Odd(DataTypeConverter[int, str]):
    def to_internal(self, external: str) -> int:
        return int(external)

    def to_external(self, internal: int) -> str:
        return {1: "one", 2: 2, 3: None}[internal]  # type: ignore[dict-item,return-value]


ODD = DataTypes.ROW(DataTypes.FIELD("price", DataTypes.INT().bridged_to(str, Odd())))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2, "Odd.to_external gave 2 of class int for 2 of INT, and not of class str"),
        (3, "Odd.to_external gave None for 3 of INT"),
        (4, "Odd.to_external failed for 4 of INT: KeyError: 4"),
    ],
)
def test_a_row_that_cannot_become_an_object_ends_the_run(value: int, message: str) -> None:
    table_result, run = result(1, None, value, 1)
    rows = table_result.collect(ODD)
    assert [next(rows), next(rows)] == [Row(price="one"), Row(price=None)]
    with pytest.raises(DataError) as fault:
        next(rows)
    assert fault.value.message == message and fault.value.where == "collect(), column price"
    assert run.status is JobStatus.CANCELED


def test_reading_all_rows_does_not_stop_the_run() -> None:
    table_result, run = result(1, 2)
    assert list(table_result.collect("ROW<price BIGINT>")) == [Row(price=1), Row(price=2)]
    assert run.status is JobStatus.RUNNING


def test_a_null_in_a_field_that_cannot_be_null() -> None:
    class Priced:
        def __init__(self, price: int) -> None:
            self.price = price

    table_result, run = result(1, None)
    rows = table_result.collect(Priced)
    assert next(rows).price == 1  # type: ignore[attr-defined]
    with pytest.raises(DataError, match=r"NULL is no value of BIGINT NOT NULL(.|\n)*column price(.|\n)*X \| None"):
        next(rows)
    assert run.status is JobStatus.CANCELED


def test_a_conversion_error_leaves_the_rows_in_the_result() -> None:
    table_result, _ = result(1)
    with pytest.raises(ProgramError, match="column price of type INT cannot become SMALLINT without loss"):
        table_result.collect("ROW<price SMALLINT>")
    assert [tuple(row) for row in table_result.collect()] == [(1,)]
    with pytest.raises(ExecutionError, match="were taken already"):
        table_result.collect()


def test_a_client_reports_the_state_and_the_end_of_its_run() -> None:
    run = Fake(())
    client = JobClient(run)
    assert client.get_job_status().result() is JobStatus.RUNNING
    assert client.cancel().done()
    assert client.get_job_status().result() is JobStatus.CANCELED
    assert client.get_job_execution_result().result(60) == JobExecutionResult(run.id, 5)
    run.fault = "the run failed"
    with pytest.raises(ExecutionError, match="the run failed"):
        client.get_job_execution_result().result(60)


def test_rows_of_pyflink_are_mutable() -> None:
    table_result, _ = result(1, 2)
    rows = list(table_result.with_mutable_rows().collect())
    assert list(map(str, rows)) == ["<Row(1)>", "<Row(2)>"] and rows[0].get_row_kind() is RowKind.INSERT
    rows[0][0] = 3
    assert list(rows[0]) == [3]
