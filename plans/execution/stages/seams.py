"""A DataFrame of many stages built a part at a time, so that Spark's work grows as the plan does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Seams:
    """What was cut off a DataFrame; see the kernel's `Seams`."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._kernel: Any = java_class(spark._jvm, "org.compiledplan.kernel.host.Seams")()

    def cut(self, frame: DataFrame) -> DataFrame:
        """Nothing but the columns of a DataFrame, to build on instead of it."""
        return self._frame(self._kernel.cut(frame._jdf))

    def sewn(self, frame: DataFrame) -> DataFrame:
        """What was built on `cut` DataFrames, on what they stand for."""
        return self._frame(self._kernel.sewn(frame._jdf))

    def _frame(self, jdf: Any) -> DataFrame:
        from pyspark.sql import DataFrame as SparkDataFrame

        return SparkDataFrame(jdf, self._spark)
