"""Tables of Delta Lake that Spark wrote: compiled without their columns, read, written, and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError
from tests.plans.execution.lakes.test_iceberg_catalog import TYPES
from tests.support.lakes import needs_delta, rows_of, run, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes")]


@pytest.fixture
def lake(tmp_path: Path) -> str:
    """The statement that creates a catalog."""
    return f"CREATE CATALOG lake WITH ('type' = 'delta', 'warehouse' = '{tmp_path / 'w'}');"


def created(spark: SparkSession, place: Path, columns: str, *properties: str, partitioned: str = "") -> str:
    """Create a table with Spark; return its name there."""
    settings = f"TBLPROPERTIES ({', '.join(properties)})" if properties else ""
    name = f"delta.`{place}`"
    spark.sql(f"CREATE TABLE {name} ({columns}) USING delta {partitioned} {settings}")
    return name


def test_every_type_of_a_table_that_spark_wrote(spark: SparkSession, tmp_path: Path, lake: str) -> None:
    types = {**TYPES, "tiny": ("TINYINT", "7"), "small": ("SMALLINT", "8")}
    columns = ", ".join(f"{column} {type_}" for column, (type_, _) in types.items())
    table = created(spark, tmp_path / "w/shop.db/t", columns, partitioned="PARTITIONED BY (day, n)")
    spark.sql(f"INSERT INTO {table} SELECT {', '.join(value for _, value in types.values())}")
    text = f"{lake}CREATE TABLE p WITH ('connector' = 'print') LIKE lake.shop.t (EXCLUDING ALL);"
    hint = "/*+ OPTIONS('scan.mode' = 'batch') */"
    assert run(spark, f"{text}INSERT INTO p SELECT * FROM lake.shop.t {hint}") == [
        "+I[true, 1, 2, 1.5, 2.5, 3.25, 2024-02-29, 2024-03-31T02:30:00.123456, null, x, abc, [0, -1], [a, b], {k=1}, "
        "+I[1.0, [1]], 7, 8]"
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "properties",
    [
        (),
        ("'delta.columnMapping.mode' = 'name'",),
        ("'delta.checkpointPolicy' = 'v2'", "'delta.checkpointInterval' = '2'"),
        ("'delta.enableDeletionVectors' = 'true'", "'delta.checkpointInterval' = '2'"),
    ],
    ids=["plain", "mapping", "v2", "vectors"],
)
def test_changes_of_the_schema_are_read(
    spark: SparkSession, tmp_path: Path, lake: str, properties: tuple[str, ...]
) -> None:
    """Also behind a checkpoint, whose form the properties choose."""
    table = created(spark, tmp_path / "w/shop/t", "id INT, n INT", *properties)
    spark.sql(f"ALTER TABLE {table} ADD COLUMN more STRING")
    for at in range(12):
        spark.sql(f"INSERT INTO {table} VALUES ({at}, {at}, 'x')")
    spark.sql(f"DELETE FROM {table} WHERE id > 0")
    log = tmp_path / "w/shop/t/_delta_log"
    newest = max(int(file.name[:20]) for file in log.glob("0*.checkpoint.*"))
    for commit in log.glob("*.json"):
        if "checkpoint" not in commit.name and int(commit.name[:20]) < newest:
            commit.unlink()
    text = f"{lake}CREATE TABLE p WITH ('connector' = 'print') LIKE lake.shop.t (EXCLUDING ALL);"
    hint = "/*+ OPTIONS('scan.mode' = 'batch') */"
    assert run(spark, f"{text}INSERT INTO p SELECT * FROM lake.shop.t {hint}") == ["+I[0, 0, x]"]


def test_rows_are_aggregated_into_a_table_that_the_run_creates(spark: SparkSession, tmp_path: Path, lake: str) -> None:
    table = created(spark, tmp_path / "w/shop/orders", "customer INT NOT NULL, total DECIMAL(10, 2)")
    spark.sql(f"INSERT INTO {table} VALUES (1, 1.50), (2, 2.00), (1, 3.25)")
    text = (
        f"{lake}CREATE TABLE IF NOT EXISTS lake.shop.revenue (customer INT PRIMARY KEY NOT ENFORCED, "
        "total DECIMAL(38, 2));INSERT INTO lake.shop.revenue SELECT customer, SUM(total) "
        "FROM lake.shop.orders /*+ OPTIONS('scan.mode' = 'batch') */ GROUP BY customer"
    )
    for _ in range(2):
        run(spark, text)
        rows = rows_of(spark, tmp_path / "w/shop/revenue")
        assert [(customer, str(total)) for customer, total in rows] == [(1, "4.75"), (2, "2.00")]


def test_a_table_that_changed_is_refused_at_the_start(spark: SparkSession, tmp_path: Path, lake: str) -> None:
    table = created(spark, tmp_path / "w/shop/t", "id INT, n INT")
    text = (
        f"{lake}CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');"
        "INSERT INTO p SELECT * FROM lake.shop.t /*+ OPTIONS('scan.mode' = 'batch') */"
    )
    plan = TableEnvironment().compile_script(text)
    spark.sql(f"INSERT INTO {table} VALUES (1, 2)")
    assert run_plan(spark, plan) == ["+I[1, 2]"]
    wider = spark.table(table).selectExpr("id", "CAST(n AS BIGINT) AS n")
    wider.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(str(tmp_path / "w/shop/t"))
    with pytest.raises(DataError, match=r"column 'n' is INT, and the Delta table .* has it as BIGINT"):
        run_plan(spark, plan)
