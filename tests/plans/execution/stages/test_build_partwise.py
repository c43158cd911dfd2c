"""Incremental construction of DataFrames, and the part of a chain of stages that is sent to tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from compiled_plan import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.build import PartwisePlan
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.test_run_large import COLUMNS, ROWS, declared, source
from tests.support.large import AGGREGATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_partial_frames_are_combined(spark: SparkSession) -> None:
    whole = PartwisePlan(spark)
    frame = whole.placeholder(spark.range(3).withColumn("n", F.col("id") * 2))
    assert frame.columns == ["id", "n"] and frame.collect() == []
    for _ in range(3):
        frame = whole.placeholder(frame.where("id > 0").select("id", (F.col("n") + 1).alias("n")))
    both = frame.union(whole.placeholder(spark.range(10, 11).select("id", F.col("id").alias("n"))))
    assert sorted(map(tuple, whole.assembled(both).collect())) == [(1, 5), (2, 7), (10, 10)]
    assert sorted(map(tuple, whole.assembled(whole.placeholder(both)).collect())) == [(1, 5), (2, 7), (10, 10)]


def test_streaming_properties_are_kept(spark: SparkSession) -> None:
    whole = PartwisePlan(spark)
    frame = whole.placeholder(spark.readStream.format("rate").load())
    assert frame.isStreaming and whole.assembled(frame.where("value > 1")).isStreaming


@pytest.mark.wide
def test_a_stage_is_sent_without_those_below_it(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(tmp_path / "t", ROWS)
    begun, begin = list[Any](), Run._begin

    def seen(run: Run, *args: Any, **options: Any) -> Any:
        begun.append(begin(run, *args, **options))
        return begun[-1]

    monkeypatch.setattr(Run, "_begin", seen)
    jvm, sent = spark._jvm, dict[int, int]()
    assert jvm is not None
    for count in (2, 8):
        tables = declared({"t": COLUMNS, "o": "id BIGINT, s STRING"}, tmp_path, "debezium-json")
        text = TableEnvironment().compile_script(tables + AGGREGATES.program(count)).to_json()
        Run(spark, CompiledPlan.from_json(text), RunOptions()).execute()
        executed = begun[-1]._jsq.streamingQuery().lastExecution().executedPlan()
        assert str(executed.toString()).count("DriverOnlyChild") == count
        sent[count] = len(java_class(jvm, "org.apache.spark.util.Utils").serialize(executed))
    assert sent[8] < 1.5 * sent[2]


def test_other_queries_of_the_session_stay_as_they_are(spark: SparkSession) -> None:
    plan = spark.range(3).groupBy((F.col("id") % 2).alias("k")).count()._jdf.queryExecution().executedPlan()
    assert "Exchange" in plan.toString() and "DriverOnlyChild" not in plan.toString()
