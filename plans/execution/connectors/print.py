"""The connector `print`: one line per row, such as `+I[1, abc, null]`.

Source: Flink's page "Print". Lines are formatted as by Flink with parallelism 1: `identifier> +I[...]`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.specs.print import SPEC
from compiled_plan.plans.execution.formats.base import kernel_formats, shape
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, SinkContext, TableSpec, sink_connector
from compiled_plan.plans.execution.spark.java import column_of, java_column
from compiled_plan.plans.execution.spark.projection import Selection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


@dataclass(frozen=True)
class Printer:
    """Prints rows in the order in which they were produced."""

    READS_ORDER: ClassVar[bool] = True

    table: TableSpec
    show: Callable[[str], None]
    spark: SparkSession

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Print a batch; see `RowSink.write`. A repeated batch is printed again."""
        lines = (
            self._lines.among(frame)
            # One sorted partition: a global sort would compute the rows twice, once to find the ranges.
            .repartition(1)
            .sortWithinPartitions(ORD, PATH)
            .select("line")
        )
        # Not toLocalIterator(): it is no action, and cannot be observed.
        for row in lines.collect():
            self.show(row.line)

    @cached_property
    def _lines(self) -> Selection:
        return Selection((F.col(ORD), F.col(PATH), self.line().alias("line")))

    def line(self) -> Column:
        """The line of a row, from `kind`, `f0`, `f1`, ...."""
        row = F.struct(*(F.col(f"f{index}") for index in range(len(self.table.columns.fields))))
        line = kernel_formats(self.spark).printedLine(
            f"table {self.table.identifier}", shape(self.table.columns), java_column(F.col(KIND)), java_column(row)
        )
        identifier = SPEC.values(self.table.options).text("print-identifier")
        return F.concat(F.lit(f"{identifier}> "), column_of(line)) if identifier else column_of(line)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> Printer:
    wrong = SPEC.values(table.options).flag("standard-error")
    return Printer(table, _to_stderr if wrong else context.stdout, context.spark)


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")
