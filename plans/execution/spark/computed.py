"""Rows that are counted while they are computed, and rows that are computed once for several reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS = "rows"
#: Condition of Spark's error for a block that ended with its executor.
_LOST = "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND"


def number_of_rows() -> Column:
    """The metric to observe for `ROWS`."""
    return F.count(F.lit(1)).alias(ROWS)


def counted(frame: DataFrame, *conditions: Column) -> tuple[DataFrame, Callable[[], list[int]]]:
    """Rows that Spark counts in the frame's own query, and a function for their number so far.

    Behind the number of all rows come those of the rows for which each condition holds.
    """
    numbers = [
        number_of_rows(),
        *(F.count_if(condition).alias(f"{ROWS}{at}") for at, condition in enumerate(conditions)),
    ]
    observed = frame.observe(ROWS, *numbers)
    execution = observed._jdf.queryExecution()

    def counts() -> list[int]:
        metric = execution.observedMetrics().get(ROWS)
        # Spark observes nothing if it knows without counting that there are no rows.
        return [int(metric.get().getLong(at)) if metric.isDefined() else 0 for at in range(len(numbers))]

    return observed, counts


@contextmanager
def computed_once(frame: DataFrame, *conditions: Column) -> Iterator[tuple[DataFrame, list[int]]]:
    """The rows of a frame, computed into blocks of the executors that are dropped at the end, and their numbers.

    Every read sees the same rows: one that misses a block fails, see `is_lost`, where a cached frame would compute its
    rows again. Few rows have the hint to broadcast them, by Spark's own threshold.

    Args:
        frame: the rows.
        conditions: see `counted`.
    """
    observed, counts = counted(frame, *conditions)
    rows = observed.localCheckpoint()
    try:
        numbers = counts()
        yield (rows.hint("broadcast") if numbers[0] * _row_size(rows) <= _threshold(rows) else rows), numbers
    finally:
        rows._jdf.queryExecution().logical().rdd().unpersist(False)


def is_lost(fault: BaseException) -> bool:
    """Return True for an exception of a read that misses a block of computed rows."""
    return _LOST in str(fault)


def _row_size(rows: DataFrame) -> int:
    """Bytes of a row, as Spark estimates them."""
    return int(rows._jdf.schema().defaultSize())


def _threshold(rows: DataFrame) -> int:
    """Bytes up to which Spark broadcasts a side of a join."""
    return int(rows.sparkSession._jsparkSession.sessionState().conf().autoBroadcastJoinThreshold())
