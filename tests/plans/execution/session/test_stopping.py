"""Runs in a program that are stopped while one of their tasks loops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan import TableEnvironment, call, col
from compiled_plan.plans.execution.session.stopping import within
from compiled_plan.plans.functions import AggregateFunction, ScalarFunction
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Loops(ScalarFunction):
    """Report the call, and never return."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def eval(self, number: int) -> int:
        Path(self.marker).touch()
        while True:
            number += 1


class LoopsInAggregate(AggregateFunction):
    """The same, in the Python process beside a task."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], number: int) -> None:
        Path(self.marker).touch()
        while True:
            number += 1

    def get_value(self, accumulator: list[int]) -> int:
        return len(accumulator)


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "marker"


@pytest.mark.wide
@pytest.mark.parametrize("function", [pytest.param(Loops, marks=pytest.mark.deep), LoopsInAggregate])
def test_a_run_is_cancelled_while_a_function_loops(
    spark: SparkSession, marker: Path, function: Callable[[str], ScalarFunction]
) -> None:
    table = TableEnvironment().from_values([(1,), (2,)], ["n"])
    result = table.select(call(function(str(marker)), col("n"))).execute()
    wait_until(marker.exists)
    started = time.monotonic()
    result.cancel()
    assert time.monotonic() - started < 20
    result.wait()
    wait_until(lambda: not running_tasks(spark))


@pytest.mark.wide
def test_leaving_the_rows_ends_a_run_whose_function_loops(spark: SparkSession, marker: Path) -> None:
    table = TableEnvironment().from_values([(1,), (2,)], ["n"])
    with table.select(call(Loops(str(marker)), col("n"))).execute().collect():
        wait_until(marker.exists)
    wait_until(lambda: not running_tasks(spark))


def running_tasks(spark: SparkSession) -> int:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in stages if stage is not None)


def test_work_that_does_not_end_is_left() -> None:
    forever = threading.Event()
    assert not within(0.01, forever.wait)
    assert within(10, lambda: 1 // 0), "what fails has ended"
    forever.set()
