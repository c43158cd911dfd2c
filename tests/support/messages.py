"""Messages through formats, without a broker: rows to bytes and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from tests.support.formats import message_changes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Options = Mapping[str, str]


def _format(spark: SparkSession, name: str) -> LineFormat:
    register(spark)
    format_ = file_format(name)
    assert isinstance(format_, LineFormat)
    return format_


def read(spark: SparkSession, name: str, row: t.RowType, messages: Sequence[bytes], options: Options) -> list[Any]:
    """The changes in messages: kind, then the columns."""
    spec = FormatTable("c.d.t", row, options)
    frame = spark.createDataFrame([(message,) for message in messages], "value binary").coalesce(1)
    changes = message_changes(spark, _format(spark, name), spec, F.col("value").cast("string"))
    rows = frame.select(F.inline(changes))
    return [tuple(row)[:1] + tuple(row)[2:] for row in rows.collect()]


def write(spark: SparkSession, name: str, row: t.RowType, rows: str, options: Options, kind: str = "0") -> list[bytes]:
    """The messages of rows that a Spark query returns in the columns `c0`, `c1`, ....

    Args:
        spark: the session.
        name: the format.
        row: the columns.
        rows: the query's text.
        options: of the format.
        kind: the SQL expression of the row kind.
    """
    spec = FormatTable("c.d.t", row, options)
    columns = F.struct(*(F.col(f"c{at}") for at in range(len(row.fields))))
    line = _format(spark, name).line(spark, spec, F.expr(f"CAST({kind} AS TINYINT)"), columns)
    return [bytes(row[0]) for row in spark.sql(rows).coalesce(1).select(line.cast("binary")).collect()]
