"""Operators filled from the versions of a Delta table that a stream has read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from tests.support.lakes import delta, needs_delta, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes")]
COLUMNS = "id INT, k STRING, g STRING, n INT, ts TIMESTAMP_NTZ"
FEED = {"readChangeFeed": "true"}


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Path:
    """A table with rows of two versions."""
    path, feed = tmp_path / "t", "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    spark.sql(f"CREATE TABLE delta.`{path}` ({COLUMNS}) USING delta {feed}")
    changed(spark, path, values("(1, 'a', 'x', 1, '10:10')"), values("(2, 'b', 'x', 2, '10:20')"))
    return path


def values(rows: str) -> str:
    columns = "col1, col2, col3, col4, CAST('2026-01-01 ' || col5 AS TIMESTAMP_NTZ)"
    return f"INSERT INTO $ SELECT {columns} FROM VALUES {rows}"


def changed(spark: SparkSession, path: Path, *statements: str) -> None:
    for statement in statements:
        spark.sql(statement.replace("$", f"delta.`{path}`"))


def sums(path: Path, key: str, query: str = "", **options: str) -> CompiledPlan:
    """Count and sum of each value of a column."""
    columns = "id INT, k STRING, g STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    text = delta("t", columns, path, **options)
    text += "CREATE TABLE p (k STRING, c BIGINT, s BIGINT) WITH ('connector' = 'print');\nINSERT INTO p "
    query = query or f"SELECT {key}, COUNT(*), SUM(CAST(n AS BIGINT)) FROM t GROUP BY {key}"
    return TableEnvironment().compile_script(text + query)


def uid(plan: CompiledPlan) -> str:
    return next(node.uid for node in plan.nodes if node.keeps_state and node.uid)


def filled(spark: SparkSession, plan: CompiledPlan, checkpoint: Path, **options: Any) -> list[str]:
    """Run a plan whose operator is filled."""
    how = {"reset": (uid(plan),), "warm_up": (uid(plan),), "upgrade": "migrate-partial", **options}
    return run_plan(spark, plan, checkpoint, available_now=True, **how)


@pytest.mark.parametrize("options", [{}, {"startingVersion": "1"}, FEED, {**FEED, "startingVersion": "0"}])
@pytest.mark.sampled(2)
def test_rows_of_versions_that_were_read(
    spark: SparkSession, place: Path, tmp_path: Path, options: dict[str, str]
) -> None:
    checkpoint = tmp_path / "c"
    assert len(run_plan(spark, sums(place, "k", **options), checkpoint, available_now=True)) == 2
    more = [values("(3, 'a', 'y', 4, '10:30')"), "OPTIMIZE $", values("(4, 'b', 'y', 8, '10:40')")]
    more += ["UPDATE $ SET n = 16 WHERE id = 4", "DELETE FROM $ WHERE id = 1"] if options.get(*FEED) else []
    changed(spark, place, *more)
    run_plan(spark, sums(place, "k", **options), checkpoint, available_now=True)
    changed(spark, place, values("(5, 'c', 'x', 32, '10:50'), (6, 'c', 'y', 64, '10:50')"))
    lines = filled(spark, sums(place, "g", **options), checkpoint)
    x, y = ((1, 2), (2, 20)) if options.get(*FEED) else ((2, 3), (2, 12))
    assert sorted(lines) == sorted(
        f"{kind}[{key}, {count + new}, {total + new * amount}]"
        for key, (count, total), amount in (("x", x, 32), ("y", y, 64))
        for kind, new in (("-U", 0), ("+U", 1))
    )


@pytest.mark.wide
def test_watermarks_of_the_log(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    """A row that was late then is late in the replay, too."""
    window = "SELECT {0}, COUNT(*), SUM(CAST(n AS BIGINT)) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) "
    window += "GROUP BY {0}, window_start, window_end"
    old, new = (sums(place, key, window.format(key)) for key in ("k", "g"))
    assert run_plan(spark, old, tmp_path / "c", available_now=True) == []
    changed(spark, place, values("(3, 'a', 'x', 4, '11:30')"))
    assert len(run_plan(spark, old, tmp_path / "c", available_now=True)) == 2
    changed(spark, place, values("(4, 'a', 'x', 8, '10:30'), (5, 'a', 'y', 16, '11:40')"))
    assert run_plan(spark, old, tmp_path / "c", available_now=True) == []
    changed(spark, place, values("(6, 'a', 'z', 32, '12:30')"))
    assert sorted(filled(spark, new, tmp_path / "c")) == ["+I[x, 1, 4]", "+I[y, 1, 16]"]
