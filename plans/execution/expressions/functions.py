"""Session settings that expressions rely on, and calls of the kernel's Java functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.spark.java import JavaObject, column_of, java_array, java_class, java_column
from compiled_plan.plans.execution.spark.types import ddl

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.types import LogicalType

REQUIRED_CONF: dict[str, str] = {
    # Integers wrap and casts do not fail: where Flink fails, the expression itself raises an error of its own.
    "spark.sql.ansi.enabled": "false",
    # Expressions convert zones explicitly, from the plan's time zone.
    "spark.sql.session.timeZone": "UTC",
    # A map keeps the last of equal keys.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # A guard (`b <> 0 AND a / b > 1`) must short-circuit.
    "spark.sql.subexpressionElimination.skipForShortcutExpr": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}
"""Spark settings required while columns of this package are analysed."""


def register(spark: SparkSession) -> None:
    """Prepare a session for expressions, before the first DataFrame that uses one."""
    for name, value in REQUIRED_CONF.items():
        spark.conf.set(name, value)


def java(name: str, returns: LogicalType | str, *args: Column, options: tuple[str, ...] = ()) -> Column:
    """Call one of the kernel's Java functions.

    Args:
        name: its name in `org.compiledplan.kernel.functions.Functions`.
        returns: the logical type of the result, or Spark DDL.
        args: the arguments, of the Spark types that the Java function expects.
        options: constants passed to the function once, such as a time zone.
    """
    context = SparkContext._active_spark_context
    if context is None or context._jvm is None:
        raise PySparkException("a Spark session must be active before expressions are translated")
    jvm: JavaObject = context._jvm
    text = returns if isinstance(returns, str) else ddl(returns)
    columns = java_array(jvm, "org.apache.spark.sql.Column", [java_column(column) for column in args])
    constants = java_array(jvm, "java.lang.String", options)
    functions = java_class(jvm, "org.compiledplan.kernel.functions.Functions")
    return column_of(functions.column(name, text, constants, columns))


def fail(message: str, *values: Column) -> Column:
    """A column that fails the query with the message, followed by the offending values as text."""
    text = F.concat(F.lit(message), *(F.coalesce(value.cast("string"), F.lit("NULL")) for value in values))
    return F.raise_error(text if values else F.lit(message))
