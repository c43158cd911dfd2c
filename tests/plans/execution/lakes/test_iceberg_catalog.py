"""Tables of an Iceberg catalog that Spark wrote: compiled without their columns, read, written, and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError
from tests.support.lakes import needs_iceberg, run, run_plan
from tests.support.rest_catalogs import RestCatalogServer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_iceberg, pytest.mark.usefixtures("lakes")]
#: Every type that Iceberg has in Spark, with a value.
TYPES = {
    "ok": ("BOOLEAN", "true"),
    "n": ("INT", "1"),
    "big": ("BIGINT", "2"),
    "f": ("FLOAT", "1.5"),
    "d": ("DOUBLE", "2.5"),
    "amount": ("DECIMAL(10, 2)", "3.25"),
    "day": ("DATE", "DATE '2024-02-29'"),
    "wall": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '2024-03-31 02:30:00.123456'"),
    "instant": ("TIMESTAMP", "NULL"),
    "name": ("STRING", "'x'"),
    "code": ("VARCHAR(3)", "'abc'"),
    "bytes": ("BINARY", "X'00ff'"),
    "tags": ("ARRAY<STRING>", "array('a', 'b')"),
    "counts": ("MAP<STRING, INT>", "map('k', 1)"),
    "shape": ("STRUCT<w: DOUBLE, tags: ARRAY<INT>>", "named_struct('w', 1.0D, 'tags', array(1))"),
}


@pytest.fixture
def name(tmp_path: Path) -> str:
    """The name of a catalog of the test's own."""
    return f"c_{abs(hash(tmp_path)):x}"


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path, name: str) -> str:
    """The statement that creates the catalog, which Spark has as well."""
    spark.conf.set(f"spark.sql.catalog.{name}", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"spark.sql.catalog.{name}.type", "hadoop")
    spark.conf.set(f"spark.sql.catalog.{name}.warehouse", str(tmp_path / "w"))
    return (
        f"CREATE CATALOG {name} WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = '{tmp_path / 'w'}');"
    )


def test_every_type_of_a_table_that_spark_wrote(spark: SparkSession, lake: str, name: str) -> None:
    columns = ", ".join(f"{column} {type_}" for column, (type_, _) in TYPES.items())
    spark.sql(f"CREATE TABLE {name}.shop.t ({columns}) USING iceberg PARTITIONED BY (day, n)")
    spark.sql(f"INSERT INTO {name}.shop.t SELECT {', '.join(value for _, value in TYPES.values())}")
    text = f"{lake}CREATE TABLE p WITH ('connector' = 'print') LIKE {name}.shop.t (EXCLUDING ALL);"
    assert run(spark, f"{text}INSERT INTO p SELECT * FROM {name}.shop.t") == [
        "+I[true, 1, 2, 1.5, 2.5, 3.25, 2024-02-29, 2024-03-31T02:30:00.123456, null, x, abc, [0, -1], [a, b], {k=1}, "
        "+I[1.0, [1]]]"
    ]


def test_rows_are_aggregated_into_a_table_that_the_run_creates(spark: SparkSession, lake: str, name: str) -> None:
    spark.sql(f"CREATE TABLE {name}.shop.orders (customer INT NOT NULL, total DECIMAL(10, 2)) USING iceberg")
    spark.sql(f"INSERT INTO {name}.shop.orders VALUES (1, 1.50), (2, 2.00), (1, 3.25)")
    text = (
        f"{lake}CREATE TABLE IF NOT EXISTS {name}.shop.revenue (customer INT PRIMARY KEY NOT ENFORCED, "
        f"total DECIMAL(38, 2));INSERT INTO {name}.shop.revenue "
        f"SELECT customer, SUM(total) FROM {name}.shop.orders GROUP BY customer"
    )
    for _ in range(2):
        run(spark, text)
        spark.catalog.refreshTable(f"{name}.shop.revenue")
        rows = spark.table(f"{name}.shop.revenue").sort("customer").collect()
        assert [(row.customer, str(row.total)) for row in rows] == [(1, "4.75"), (2, "2.00")]


def test_a_run_authorizes_itself_at_the_server(
    spark: SparkSession, lake: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A REST server gives compiler and run the metadata that Spark wrote."""
    spark.sql(f"CREATE TABLE {name}.shop.t (id INT, n INT) USING iceberg")
    spark.sql(f"INSERT INTO {name}.shop.t VALUES (1, 2)")
    file = max((tmp_path / "w/shop/t/metadata").glob("v*.metadata.json"))
    server = RestCatalogServer()
    answer = {"metadata-location": str(file), "metadata": json.loads(file.read_text()), "config": {}}
    server.answers["/v1/main/namespaces/shop/tables/t"] = (200, answer)
    monkeypatch.setenv("COMPILED_PLAN_SECRET_LAKE_TOKEN", "open-sesame")
    catalog = server.catalog("'token' = '${secret:lake_token}'", f"{name}_rest")
    text = (
        f"{catalog}CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');"
        f"INSERT INTO p SELECT * FROM {name}_rest.shop.t"
    )
    try:
        plan = TableEnvironment().compile_script(text)
        compiling = len(server.requests)
        assert run_plan(spark, plan) == ["+I[1, 2]"]
        assert len(server.requests) > compiling
        assert {token for _, token in server.requests} == {"Bearer open-sesame"}
    finally:
        server.close()


def test_a_table_that_changed_is_refused_at_the_start(spark: SparkSession, lake: str, name: str) -> None:
    spark.sql(f"CREATE TABLE {name}.shop.t (id INT, n INT) USING iceberg")
    spark.sql(f"INSERT INTO {name}.shop.t VALUES (1, 2)")
    text = (
        f"{lake}CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');INSERT INTO p SELECT * FROM {name}.shop.t"
    )
    plan = TableEnvironment().compile_script(text)
    spark.sql(f"ALTER TABLE {name}.shop.t ADD COLUMN more STRING")
    assert run_plan(spark, plan) == ["+I[1, 2]"]
    spark.sql(f"ALTER TABLE {name}.shop.t ALTER COLUMN n TYPE BIGINT")
    with pytest.raises(DataError, match=r"column 'n' is INT, and the Iceberg table .* has it as BIGINT"):
        run_plan(spark, plan)


def test_identifier_fields_merge(spark: SparkSession, lake: str, name: str) -> None:
    spark.sql(f"CREATE TABLE {name}.shop.t (id INT NOT NULL, n BIGINT NOT NULL) USING iceberg")
    spark.sql(f"ALTER TABLE {name}.shop.t SET IDENTIFIER FIELDS id")
    spark.sql(f"INSERT INTO {name}.shop.t VALUES (1, 5), (2, 5)")
    text = (
        f"{lake}CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (1), (3), (3)) AS t (id);"
        f"INSERT INTO {name}.shop.t SELECT id, COUNT(*) FROM v GROUP BY id"
    )
    run(spark, text)
    spark.catalog.refreshTable(f"{name}.shop.t")
    assert sorted(tuple(row) for row in spark.table(f"{name}.shop.t").collect()) == [(1, 1), (2, 5), (3, 2)]
