"""Tasks' access to Spark's state is created once and passed from task to task, each with a store of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.files import lines, put, table
from tests.support.kernel.hidden import hidden_field


def field(spark: SparkSession, name: str) -> Any:
    return hidden_field(spark, "host.versions.PooledAccess", name)


def idle(spark: SparkSession) -> dict[str, int]:
    """Number of idle accesses by timer clock."""
    return {entry.getKey(): entry.getValue().size() for entry in field(spark, "IDLE").entrySet()}


def test_this_spark_has_the_fields(spark: SparkSession) -> None:
    assert field(spark, "FIELDS") is not None


@pytest.mark.wide
@pytest.mark.parametrize("ttl", ["0 s", "1 h"])
def test_later_tasks_reuse_the_access_of_earlier_ones(spark: SparkSession, tmp_path: Path, ttl: str) -> None:
    """Two stages in four micro-batches: as many as run concurrently, not as many as there are tasks."""
    for batch in range(4):
        put(tmp_path / "r", f"{batch}.json", *({"k": f"k{at % 7}", "v": batch} for at in range(20)))
    program = (
        f"SET 'table.exec.state.ttl' = '{ttl}';"
        + table(tmp_path, "r", "k STRING, v BIGINT")
        + table(tmp_path, "done", "n BIGINT, keys BIGINT", "debezium-json")
        + "INSERT INTO done SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM r GROUP BY k) GROUP BY n;"
    )
    plan = TableEnvironment().compile_script(program)
    Run(spark, plan, RunOptions(max_files_per_batch=1)).execute()
    before = idle(spark)
    assert before
    left: dict[tuple[int, int], int] = {}
    for change in lines(tmp_path / "done"):
        for row, by in ((change["before"], -1), (change["after"], 1)):
            if row is not None:
                left[row["n"], row["keys"]] = left.get((row["n"], row["keys"]), 0) + by
    assert {row for row, count in left.items() if count} == {(12, 6), (8, 1)}
    Run(spark, plan, RunOptions(max_files_per_batch=1)).execute()
    assert idle(spark) == before
    assert max(before.values()) <= spark.sparkContext.defaultParallelism


def test_settings_that_are_sent_do_not_say_where_they_come_from(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "r", "0.json", {"k": "a"})
    program = table(tmp_path, "r", "k STRING") + table(tmp_path, "s", "k STRING") + "INSERT INTO s SELECT k FROM r;"
    Run(spark, TableEnvironment().compile_script(program), RunOptions()).execute()
    settings = spark._jsparkSession.sessionState().newHadoopConf()
    assert settings.get("io.file.buffer.size") == "65536"
    assert settings.getPropertySources("io.file.buffer.size") is None
