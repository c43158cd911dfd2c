"""What the formats of lines (JSON, CSV) share: the kernel turns a line into changes, and a change into a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.spec import FormatSpec
from compiled_plan.plans.execution.connectors.base import KIND
from compiled_plan.plans.execution.formats.base import SUFFIX, FormatTable, column, java_column, kernel_formats, shape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession


class LineFormat:
    """Base of the formats of lines. A subclass names itself and its options."""

    spec: FormatSpec

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file without a line; see `Format.is_empty`."""
        return size == 0

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        """The table as the kernel takes it; refuses options that only Java can check."""
        return spec

    def changes(self, spark: SparkSession, spec: FormatTable, line: Column) -> Column:
        """The changes of a line: an array of structs of kind, suffix of the path, the columns, and metadata."""
        spec = self.prepared(spark, spec)
        options = dict(spec.options)
        made = kernel_formats(spark).changes(
            self.spec.name, table_text(spec), shape(spec.row), options, list(spec.metadata), java_column(line)
        )
        return column(made)

    def line(self, spark: SparkSession, spec: FormatTable, kind: Column, row: Column) -> Column:
        """The line of a change, a text."""
        spec = self.prepared(spark, spec)
        options = dict(spec.options)
        made = kernel_formats(spark).line(
            self.spec.name, table_text(spec), shape(spec.row), options, java_column(kind), java_column(row)
        )
        return column(made)

    def writer(self, frame: DataFrame, spec: FormatTable, extra: Sequence[Column]) -> DataFrameWriter:
        """Files of lines; see `Format.writer`."""
        row = F.struct(*(F.col(f"c{index}") for index in range(len(spec.row.fields))))
        line = self.line(frame.sparkSession, spec, F.col(KIND), row)
        return frame.select(line.alias("value"), *extra).write.format("text").option("lineSep", "\n")

    def decoded(self, lines: DataFrame, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """The columns of `Format.scan` from a frame of one column, `value`."""
        changes = self.changes(lines.sparkSession, spec, F.col("value"))
        found = lines.select(changes.alias("changes"), *extra)
        rest = [F.col(f"`{name}`") for name in found.columns[1:]]
        names = (
            KIND,
            SUFFIX,
            *(f"c{index}" for index in range(len(spec.row.fields))),
            *(f"x{index}" for index in range(len(spec.metadata))),
        )
        # inline() takes the names from the structs, where a table's columns have their own.
        rows = found.select(F.inline("changes"), *rest)
        return rows.toDF(*names, *rows.columns[len(names) :])


def table_text(spec: FormatTable) -> str:
    """The table in messages."""
    return f"table {spec.table}"
