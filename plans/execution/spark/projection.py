"""Some rows of a frame and some columns of them: what is done with each micro-batch, made once.

A column is a dozen calls to the JVM, and a table may have hundreds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import frame_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class Selection:
    """Which rows, and which columns.

    Args:
        conditions: of the rows, each of those for which the ones before it hold; None holds for all.
    """

    def __init__(self, columns: Iterable[Column], *conditions: Column | None) -> None:
        self._columns = tuple(columns)
        self._conditions = [condition for condition in conditions if condition is not None]
        self._sequence: Any = None

    def among(self, frame: DataFrame) -> DataFrame:
        """These of a frame."""
        from pyspark.sql.classic.column import _to_java_column, _to_seq

        if self._sequence is None:
            self._sequence = _to_seq(frame.sparkSession.sparkContext, self._columns, _to_java_column)
        for condition in self._conditions:
            frame = frame.where(condition)
        return frame_of(frame._jdf.select(self._sequence), frame.sparkSession)
