"""Windows of a row as columns, against windows found by trial."""

from __future__ import annotations

from datetime import datetime

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.execution.operators.windowing import (
    Aligned,
    Cumulative,
    Hopping,
    Tumbling,
    millis,
    timestamp,
    tumbling_end,
    window_ends,
    window_start,
)
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.types import TimestampLtzType, TimestampType

TIMES = range(-25, 26)
WINDOWS: list[Aligned] = [
    Tumbling(10, offset=3),
    Tumbling(7, offset=-2),
    Hopping(10, slide=5, offset=0),
    Hopping(10, slide=4, offset=1),
    Hopping(3, slide=7, offset=-1),
    Cumulative(12, step=4, offset=1),
]


def tried(window: Aligned, time: int) -> list[tuple[int, int]]:
    """Start and end of all windows of a time, in Flink's order."""
    size = window.max_size if isinstance(window, Cumulative) else window.size
    slide = window.slide if isinstance(window, Hopping) else size
    starts = [start for start in range(time - size, time + 1) if (start - window.offset) % slide == 0]
    if isinstance(window, Cumulative):
        ends = [(start, end) for start in starts for end in range(start + window.step, start + size + 1, 4)]
        return [(start, end) for start, end in ends if start <= time < end]
    return [(start, start + size) for start in reversed(starts) if start <= time < start + size]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_windows_of_a_time(session: SparkSession, window: Aligned) -> None:
    frame = session.range(TIMES.start, TIMES.stop).select(F.col("id").alias("time"))
    ends = window_ends(F.col("time"), window)
    windows = frame.select(
        "time", lambdas.transform(ends, lambda end: F.array(window_start(end, window), end)).alias("all")
    )
    assert {row.time: [tuple(window) for window in row.all] for row in windows.collect()} == {
        time: tried(window, time) for time in TIMES
    }
    if isinstance(window, Tumbling):
        alone = frame.select("time", tumbling_end(F.col("time"), window).alias("end")).collect()
        assert {row.time: row.end for row in alone} == {time: tried(window, time)[0][1] for time in TIMES}


def test_times_lie_on_the_clock_of_the_zone(session: SparkSession) -> None:
    local, point = TimestampType(precision=3), TimestampLtzType(precision=3)
    row = session.range(1).select(F.lit("2024-07-01 00:30:00").cast("timestamp").alias("time"))
    clock = millis(F.col("time"), point, "Asia/Kolkata")
    (only,) = row.select(
        timestamp(clock, local, "Asia/Kolkata").alias("local"),
        timestamp(clock, point, "Asia/Kolkata").cast("string").alias("point"),
        millis(F.col("time").cast("timestamp_ntz"), local, None).alias("millis"),
    ).collect()
    assert only.local == datetime(2024, 7, 1, 6, 0)
    assert only.point == "2024-07-01 00:30:00"
    assert only.millis == 1_719_793_800_000
