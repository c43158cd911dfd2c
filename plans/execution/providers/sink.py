"""Sinks into data sources: rows are appended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND, RowSink, SinkContext, TableSpec
from compiled_plan.plans.execution.providers.columns import check_columns
from compiled_plan.plans.execution.providers.provider import Opened
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType


def write(table: TableSpec, context: SinkContext) -> RowSink:
    """A sink for a table; compares its columns with existing data.

    Raises:
        DataError: its columns differ from those of the data source; names the column and both types.
    """
    opened = Opened.of(context.spark, table)
    columns = _existing_columns(opened) if context.writes and opened.typed else None
    if columns is not None:
        check_columns(table, columns, opened.title)
    return AppendingSink(opened)


def _existing_columns(opened: Opened) -> StructType | None:
    """The columns of existing data; None if it cannot be read, as before the first write."""
    try:
        return opened.spark.read.format(opened.name).options(**opened.options).load().schema
    except (PySparkException, Py4JJavaError):
        return None


@dataclass(frozen=True, slots=True)
class AppendingSink:
    """Appends the rows of each micro-batch; a repeated batch is appended again."""

    READS_ORDER: ClassVar[bool] = False
    #: Providers of version 1 of Spark's interface may run the rows in queries of their own; Kafka's does.
    RUNS_ROWS: ClassVar[bool] = True

    opened: Opened

    def write(self, frame: DataFrame, batch_id: int) -> None:
        table = self.opened.table
        # Fields of rows have their declared names, whatever the plan calls them.
        rows = frame.select(
            *(
                self._inserted(f"f{at}").cast(to_spark(column.type)).alias(column.name)
                for at, column in enumerate(table.columns.fields)
            )
        )
        writer = rows.write.format(self.opened.name).mode("append").options(**self.opened.options)
        if table.partition_keys:
            writer = writer.partitionBy(*table.partition_keys)
        with self.opened.errors_named("written"):
            writer.save()

    def _inserted(self, column: str) -> Column:
        """A column; a row that is not an insert fails the run."""
        message = F.lit(f"table {self.opened.table.identifier} accepts only inserts, and the plan writes another row")
        return F.when(F.col(KIND) == INSERT, F.col(column)).otherwise(F.raise_error(message))
