"""Operators filled from the snapshots of an Iceberg table that a stream has read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.plan import CompiledPlan
from tests.support.lakes import needs_iceberg, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_iceberg, pytest.mark.usefixtures("lakes")]


@pytest.fixture
def catalog(spark: SparkSession, tmp_path: Path) -> str:
    """A catalog of the test's own, with a table of two snapshots."""
    name = f"w_{abs(hash(tmp_path)):x}"
    for setting, value in {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop"}.items():
        spark.conf.set(f"spark.sql.catalog.{name}{setting}", value)
    spark.conf.set(f"spark.sql.catalog.{name}.warehouse", str(tmp_path / "w"))
    spark.sql(f"CREATE TABLE {name}.shop.t (k STRING, g STRING, n INT) USING iceberg")
    add(spark, name, "('a', 'x', 1)", "('b', 'x', 2)")
    return name


def add(spark: SparkSession, catalog: str, *snapshots: str) -> None:
    for rows in snapshots:
        spark.sql(f"INSERT INTO {catalog}.shop.t VALUES {rows}")


def sums(catalog: str, key: str) -> CompiledPlan:
    """Count and sum of each value of a column."""
    named = {
        "connector": "iceberg",
        "catalog-name": catalog,
        "catalog-database": "shop",
        "catalog-table": "t",
        "streaming": "true",
    }
    shown = ", ".join(f"'{name}' = '{value}'" for name, value in named.items())
    text = f"CREATE TABLE t (k STRING, g STRING, n INT) WITH ({shown});\n"
    text += "CREATE TABLE p (k STRING, c BIGINT, s BIGINT) WITH ('connector' = 'print');\n"
    text += f"INSERT INTO p SELECT {key}, COUNT(*), SUM(CAST(n AS BIGINT)) FROM t GROUP BY {key}"
    return TableEnvironment().compile_script(text)


def filled(spark: SparkSession, plan: CompiledPlan, checkpoint: Path) -> list[str]:
    """Run a plan whose operator is filled."""
    uid = next(node.uid for node in plan.nodes if node.keeps_state and node.uid)
    how: dict[str, Any] = {"reset": (uid,), "warm_up": (uid,), "upgrade": "migrate-partial"}
    return run_plan(spark, plan, checkpoint, available_now=True, **how)


def test_rows_of_snapshots_that_were_read(spark: SparkSession, catalog: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    assert len(run_plan(spark, sums(catalog, "k"), checkpoint, available_now=True)) == 2
    add(spark, catalog, "('a', 'y', 4)")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('shop.t', options => map('rewrite-all', 'true'))").collect()
    add(spark, catalog, "('b', 'y', 8)")
    run_plan(spark, sums(catalog, "k"), checkpoint, available_now=True)
    add(spark, catalog, "('c', 'x', 16), ('c', 'y', 32)")
    lines = filled(spark, sums(catalog, "g"), checkpoint)
    assert sorted(lines) == ["+U[x, 3, 19]", "+U[y, 3, 44]", "-U[x, 2, 3]", "-U[y, 2, 12]"]


def test_expired_snapshots_are_refused(spark: SparkSession, catalog: str, tmp_path: Path) -> None:
    run_plan(spark, sums(catalog, "k"), tmp_path / "c", available_now=True)
    spark.sql(f"CALL {catalog}.system.expire_snapshots('shop.t', TIMESTAMP '2100-01-01 00:00:00', 1)").collect()
    with pytest.raises(DataError, match=r"the first snapshots of the Iceberg table .*t have expired"):
        filled(spark, sums(catalog, "g"), tmp_path / "c")
