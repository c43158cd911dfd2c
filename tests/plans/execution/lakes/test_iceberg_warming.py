"""Operators filled from the snapshots of an Iceberg table that a stream has read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.plan import CompiledPlan
from tests.support.lakes import IcebergCatalog, needs_iceberg, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_iceberg, pytest.mark.usefixtures("lakes")]


CHANGES = {"changelog": "true"}
TIMED = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
EXPIRE = "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> IcebergCatalog:
    """A table of two snapshots."""
    catalog = IcebergCatalog(spark, tmp_path)
    catalog.sql("CREATE TABLE $ (k STRING, g STRING, n INT, ts TIMESTAMP_NTZ) USING iceberg")
    add(catalog, "'a', 'x', 1, '10:10'", "'b', 'x', 2, '10:20'")
    return catalog


def add(lake: IcebergCatalog, *snapshots: str) -> None:
    columns = "col1, col2, col3, CAST('2026-01-01 ' || col4 AS TIMESTAMP_NTZ)"
    lake.sql(*(f"INSERT INTO $ SELECT {columns} FROM VALUES ({rows})" for rows in snapshots))


def sums(lake: IcebergCatalog, key: str, query: str = "", **options: str) -> CompiledPlan:
    """Count and sum of each value of a column."""
    text = lake.declared("k STRING, g STRING, n INT" + (f", {TIMED}" if query else ""), streaming="true", **options)
    text += "CREATE TABLE p (k STRING, c BIGINT, s BIGINT) WITH ('connector' = 'print');\nINSERT INTO p "
    query = query or f"SELECT {key}, COUNT(*), SUM(CAST(n AS BIGINT)) FROM t GROUP BY {key}"
    return TableEnvironment().compile_script(text + query)


def filled(spark: SparkSession, plan: CompiledPlan, checkpoint: Path) -> list[str]:
    """Run a plan whose operator is filled."""
    uid = next(node.uid for node in plan.nodes if node.keeps_state and node.uid)
    how: dict[str, Any] = {"reset": (uid,), "warm_up": (uid,), "upgrade": "migrate-partial"}
    return run_plan(spark, plan, checkpoint, available_now=True, **how)


@pytest.mark.parametrize("options", [{}, CHANGES, {**CHANGES, "start_snapshot_timestamp": "0"}])
@pytest.mark.sampled(2)
def test_rows_of_snapshots_that_were_read(
    spark: SparkSession, lake: IcebergCatalog, tmp_path: Path, options: dict[str, str]
) -> None:
    checkpoint = tmp_path / "c"
    assert len(run_plan(spark, sums(lake, "k", **options), checkpoint, available_now=True)) == 2
    add(lake, "'a', 'y', 4, '10:30'")
    lake.call("rewrite_data_files", "options => map('rewrite-all', 'true')")
    add(lake, "'b', 'y', 8, '10:40'")
    if options:
        lake.sql("UPDATE $ SET n = 16 WHERE n = 8", "DELETE FROM $ WHERE n = 1")
    run_plan(spark, sums(lake, "k", **options), checkpoint, available_now=True)
    add(lake, "'c', 'x', 32, '10:50'), ('c', 'y', 64, '10:50'")
    lines = filled(spark, sums(lake, "g", **options), checkpoint)
    x, y = ((1, 2), (2, 20)) if options else ((2, 3), (2, 12))
    assert sorted(lines) == sorted(
        f"{kind}[{key}, {count + new}, {total + new * amount}]"
        for key, (count, total), amount in (("x", x, 32), ("y", y, 64))
        for kind, new in (("-U", 0), ("+U", 1))
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"the first snapshots of the Iceberg table .*t have expired"),
        ({**CHANGES, "start_snapshot_timestamp": "0"}, r"the Iceberg table .*t has lost changes: .* have expired"),
    ],
)
def test_expired_snapshots_are_refused(
    spark: SparkSession, lake: IcebergCatalog, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    run_plan(spark, sums(lake, "k", **options), tmp_path / "c", available_now=True)
    lake.call("expire_snapshots", EXPIRE)
    with pytest.raises(DataError, match=message) as caught:
        filled(spark, sums(lake, "g", **options), tmp_path / "c")
    assert "leave --warm-up out" in caught.value.remedy


def test_the_rows_of_a_changelog_need_the_snapshot_of_its_position_alone(
    spark: SparkSession, lake: IcebergCatalog, tmp_path: Path
) -> None:
    run_plan(spark, sums(lake, "k", **CHANGES), tmp_path / "c", available_now=True)
    lake.call("expire_snapshots", EXPIRE)
    assert filled(spark, sums(lake, "g", **CHANGES), tmp_path / "c") == []
    add(lake, "'c', 'x', 32, '10:50'")
    later = run_plan(spark, sums(lake, "g", **CHANGES), tmp_path / "c", available_now=True)
    assert later == ["-U[x, 2, 3]", "+U[x, 3, 35]"]


@pytest.mark.wide
def test_micro_batches_of_a_changelog_with_watermarks_are_repeated(
    spark: SparkSession, lake: IcebergCatalog, tmp_path: Path
) -> None:
    """A deleted row that was in a closed window then is in it in the replay, too."""
    window = "SELECT {0}, COUNT(*), SUM(CAST(n AS BIGINT)) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) "
    window += "GROUP BY {0}, window_start, window_end"
    old, new = (sums(lake, key, window.format(key), **CHANGES) for key in ("k", "g"))
    assert run_plan(spark, old, tmp_path / "c", available_now=True) == []
    lake.sql("DELETE FROM $ WHERE n = 2")
    add(lake, "'a', 'x', 4, '11:30'")
    assert run_plan(spark, old, tmp_path / "c", available_now=True) == ["+I[a, 1, 1]"]
    lake.sql("DELETE FROM $ WHERE n = 1")
    add(lake, "'a', 'y', 16, '11:40'")
    assert run_plan(spark, old, tmp_path / "c", available_now=True) == []
    add(lake, "'a', 'z', 32, '12:30'")
    assert sorted(filled(spark, new, tmp_path / "c")) == ["+I[x, 1, 4]", "+I[y, 1, 16]"]
