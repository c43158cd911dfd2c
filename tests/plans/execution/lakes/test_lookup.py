"""Lookup joins with tables of lakes: every micro-batch has the newest rows."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import DataError
from tests.support.lakes import needs_delta, needs_iceberg, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("lakes")
RATES = "currency STRING, kind INT, rate INT"


@dataclass(frozen=True)
class Rates:
    """A table in a session, and its options in a program."""

    spark: SparkSession
    name: str
    options: str

    def add(self, *rows: str) -> None:
        self.spark.sql(f"INSERT INTO {self.name} VALUES {', '.join(rows)}")

    def declared(self, columns: str = RATES) -> str:
        return f"CREATE TABLE rates ({columns}) WITH ({self.options});\n"


@pytest.fixture(params=[pytest.param("delta", marks=needs_delta), pytest.param("iceberg", marks=needs_iceberg)])
def rates(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Rates:
    if request.param == "delta":
        table = Rates(spark, f"delta.`{tmp_path / 'rates'}`", f"'connector' = 'delta', 'path' = '{tmp_path / 'rates'}'")
    else:
        catalog = f"l_{abs(hash(tmp_path)):x}"
        options = f"'catalog-type' = 'hadoop', 'warehouse' = '{tmp_path / 'w'}', 'catalog-table' = 'rates'"
        table = Rates(
            spark, f"{catalog}.default.rates", f"'connector' = 'iceberg', 'catalog-name' = '{catalog}', {options}"
        )
        spark.conf.set(f"spark.sql.catalog.{catalog}", "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set(f"spark.sql.catalog.{catalog}.type", "hadoop")
        spark.conf.set(f"spark.sql.catalog.{catalog}.warehouse", str(tmp_path / "w"))
    spark.sql(f"CREATE TABLE {table.name} ({RATES}) USING {request.param}")
    table.add("('EUR', 1, 10)", "('EUR', 2, 11)", "('USD', 1, 20)", "(NULL, 1, 0)")
    return table


def orders(folder: Path, *currencies: str | None) -> None:
    """A file of orders, numbered from 0 over all files."""
    (folder / "orders").mkdir(exist_ok=True)
    number = sum(len(file.read_text().splitlines()) for file in (folder / "orders").iterdir())
    rows = [{"id": number + at, "currency": currency} for at, currency in enumerate(currencies)]
    file = folder / f"orders/{number:04}.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(file, (number, number))


def program(rates: str, folder: Path, query: str, columns: str = "id INT, rate INT") -> str:
    return (
        f"{rates}CREATE TABLE orders (id INT, currency STRING, p AS PROCTIME()) WITH ('connector' = 'filesystem', "
        f"'path' = '{folder / 'orders'}', 'format' = 'json');\n"
        f"CREATE TABLE p ({columns}) WITH ('connector' = 'print');\nINSERT INTO p {query};"
    )


JOIN = "JOIN rates FOR SYSTEM_TIME AS OF o.p AS r ON o.currency = r.currency"


def test_matches_by_key_conditions_and_padding(spark: SparkSession, tmp_path: Path, rates: Rates) -> None:
    orders(tmp_path, "EUR", "USD", "GBP", None)
    inner = program(rates.declared(), tmp_path, f"SELECT o.id, r.rate FROM orders AS o {JOIN}")
    assert sorted(run(spark, inner)) == ["+I[0, 10]", "+I[0, 11]", "+I[1, 20]"]
    left = program(
        rates.declared("currency STRING, rate INT, kind INT"),
        tmp_path,
        f"SELECT o.id, r.rate + 1 FROM orders AS o LEFT {JOIN} AND r.kind = 1 AND r.rate > 10 AND o.id < 2",
    )
    assert sorted(run(spark, left)) == ["+I[0, null]", "+I[1, 21]", "+I[2, null]", "+I[3, null]"]


def test_each_micro_batch_has_the_newest_rows(spark: SparkSession, tmp_path: Path, rates: Rates) -> None:
    """A row of the second file meets what a sink of the same run has written into the table for the first one."""
    orders(tmp_path, "GBP", "USD")
    orders(tmp_path, "GBP")
    text = program(rates.declared(), tmp_path, f"SELECT o.id, r.rate FROM orders AS o LEFT {JOIN}")
    text = text.replace("INSERT INTO p", "EXECUTE STATEMENT SET BEGIN INSERT INTO p")
    text += "INSERT INTO rates SELECT currency, 3, id FROM orders WHERE currency = 'GBP'; END;"
    lines = run(spark, text, tmp_path / "c", max_files_per_batch=1)
    assert sorted(lines) == ["+I[0, null]", "+I[1, 20]", "+I[2, 0]"]


@pytest.mark.wide
def test_state_in_front_and_behind(spark: SparkSession, tmp_path: Path, rates: Rates) -> None:
    """A lookup between stages, of rows that reach another operator, too."""
    orders(tmp_path, "EUR", "USD", "EUR", "USD", "USD")
    first = (
        "(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY currency ORDER BY p) AS n FROM orders) WHERE n = 1)"
    )
    query = (
        f"SELECT r.kind, SUM(r.rate) FROM {first} AS o {JOIN} GROUP BY r.kind UNION ALL "
        "SELECT CAST(COUNT(*) AS INT), 0 FROM orders GROUP BY currency"
    )
    lines = run(spark, program(rates.declared(), tmp_path, query))
    assert sorted(line for line in lines if line.startswith("+")) == sorted(
        ["+I[1, 30]", "+I[2, 11]", "+I[2, 0]", "+I[3, 0]"]
    )


def test_other_columns_are_refused(spark: SparkSession, tmp_path: Path, rates: Rates) -> None:
    orders(tmp_path, "EUR")
    query = f"SELECT o.id, r.rate FROM orders AS o {JOIN}"
    with pytest.raises(DataError, match=r"column 'currency' is INT, and the .* table .* has it as "):
        declared = rates.declared("currency INT, rate INT")
        run(spark, program(declared, tmp_path, query.replace("o.currency", "o.id")))


@pytest.mark.wide
@needs_iceberg
def test_versions_among_appended_rows_of_iceberg(spark: SparkSession, tmp_path: Path) -> None:
    """With a primary key and a watermark, the rows that a stream reads are versions for event-time joins."""
    catalog = f"v_{abs(hash(tmp_path)):x}"
    spark.conf.set(f"spark.sql.catalog.{catalog}", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"spark.sql.catalog.{catalog}.type", "hadoop")
    spark.conf.set(f"spark.sql.catalog.{catalog}.warehouse", str(tmp_path / "w"))
    spark.sql(f"CREATE TABLE {catalog}.default.rates (currency STRING, rate INT, ts TIMESTAMP_NTZ) USING iceberg")
    for rate, at in ((10, "10:00"), (20, "11:00"), (30, "13:00")):
        time = f"TIMESTAMP_NTZ '2026-01-01 {at}:00'"
        spark.sql(f"INSERT INTO {catalog}.default.rates VALUES ('EUR', {rate}, {time})")
    times = (("3", "09:00:00"), ("1", "10:30:00"), ("2", "11:30:00"), ("4", "14:00:00"))
    lines = (f'{{"id": {id_}, "currency": "EUR", "ts": "2026-01-01 {at}"}}' for id_, at in times)
    (tmp_path / "orders.json").write_text("\n".join(lines))
    time = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    text = (
        f"CREATE TABLE rates (currency STRING, rate INT, {time}, PRIMARY KEY (currency) NOT ENFORCED) WITH ("
        f"'connector' = 'iceberg', 'catalog-name' = '{catalog}', 'catalog-table' = 'rates', 'streaming' = 'true');"
        f"CREATE TABLE orders (id INT, currency STRING, {time}) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'orders.json'}', 'format' = 'json');"
        "CREATE TABLE p (id INT, rate INT) WITH ('connector' = 'print');"
        "INSERT INTO p SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r "
        "ON o.currency = r.currency;"
    )
    assert sorted(run(spark, text, tmp_path / "c", available_now=True)) == ["+I[1, 10]", "+I[2, 20]"]
