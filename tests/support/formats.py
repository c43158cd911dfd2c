"""What formats are tried with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.execution.formats.base import FileFormat, FormatTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter


def writer(format_: FileFormat, frame: DataFrame, spec: FormatTable) -> DataFrameWriter:
    """Writes the rows of a frame with `kind` and the columns as `c0`, `c1`, ...."""
    return format_.writer(frame.select(*format_.columns(frame.sparkSession, spec)), spec)
