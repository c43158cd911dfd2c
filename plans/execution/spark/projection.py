"""Filter and projection of a frame, built once and applied to each micro-batch.

A column is a dozen calls to the JVM, and a table may have hundreds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyspark.sql.classic.column import _to_java_column, _to_seq

from compiled_plan.plans.execution.spark.java import frame_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class Selection:
    """A filter and a projection.

    Args:
        conditions: of the rows, applied one after the other; None passes all rows.
    """

    def __init__(self, columns: Iterable[Column], *conditions: Column | None) -> None:
        self._columns = tuple(columns)
        self._conditions = [condition for condition in conditions if condition is not None]
        self._sequence: object = None

    def among(self, frame: DataFrame) -> DataFrame:
        """Apply them to a frame."""
        if self._sequence is None:
            self._sequence = _to_seq(frame.sparkSession.sparkContext, self._columns, _to_java_column)
        for condition in self._conditions:
            frame = frame.where(condition)
        return frame_of(frame._jdf.select(self._sequence), frame.sparkSession)
