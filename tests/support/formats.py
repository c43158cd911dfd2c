"""Helpers for tests of formats."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.formats.base import FileFormat, FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, Row, SparkSession


def writer(format_: FileFormat, frame: DataFrame, spec: FormatTable) -> DataFrameWriter:
    """Write the rows of a frame with `kind` and the columns `c0`, `c1`, ...."""
    return format_.writer(frame.select(*format_.columns(frame.sparkSession, spec)), spec)


def scanned(
    spark: SparkSession, format_: FileFormat, spec: FormatTable, lines: Sequence[str], select: Sequence[Column] = ()
) -> list[Row]:
    """The rows of a file with these lines, as `FileFormat.scan` reads them, or expressions over them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lines").write_text("".join(f"{line}\n" for line in lines), newline="")
        # A batch reader takes the same format as the stream's.
        rows = format_.scan(spark.read, folder, spec, [])  # type: ignore[arg-type]
        return (rows.select(*select) if select else rows).collect()


def message_changes(spark: SparkSession, format_: LineFormat, spec: FormatTable, message: Column) -> Column:
    """The changes of a message of the topic `topic`."""
    place = [F.lit("topic"), F.lit(0), F.lit(0).cast("bigint")]
    return format_.message_changes(spark, spec, message, place)
