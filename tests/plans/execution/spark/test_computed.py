"""Rows that are computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans.execution.spark.computed import computed_once, is_lost

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_reads_see_rows_that_were_computed_once(spark: SparkSession) -> None:
    with computed_once(spark.range(0, 5, 1, 2).selectExpr("rand() AS x", "id"), F.col("id") < 2) as (
        rows,
        (count, small),
    ):
        assert (count, small) == (5, 2)
        assert rows.collect() == rows.collect()


def test_rows_without_any_are_counted(spark: SparkSession) -> None:
    with computed_once(spark.range(5).where("id < 0")) as (_, counts):
        assert counts == [0]
    with computed_once(spark.createDataFrame([], "id INT")) as (_, counts):
        assert counts == [0]


def test_a_read_after_the_end_of_an_executor_is_recognized(spark: SparkSession) -> None:
    with computed_once(spark.range(5)) as (rows, _):
        pass
    with pytest.raises((PySparkException, Py4JJavaError)) as fault:
        rows.collect()
    assert is_lost(fault.value)
    assert not is_lost(ValueError("anything else"))
