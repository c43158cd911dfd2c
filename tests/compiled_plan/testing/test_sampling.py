"""Previews over the rows of a test, in both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compiled_plan.compiling.previews import preview_plan
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.results.bounded import BoundedRows, Limits
from compiled_plan.testing.cases import case_named, cases_of_text
from compiled_plan.testing.sampling import sample_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCRIPT = """CREATE TABLE orders (id INT, item STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'nowhere:1', 'format' = 'json');
CREATE TABLE prices (item STRING, price INT, PRIMARY KEY (item) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:postgresql://nowhere/x', 'table-name' = 'prices');
CREATE TABLE printed (item STRING, n BIGINT) WITH ('connector' = 'print');
CREATE FUNCTION rate AS 'not_installed.rate' LANGUAGE PYTHON;
INSERT INTO printed SELECT item, COUNT(*) FROM orders WHERE id > 0 GROUP BY item;
"""
WINDOWS = """SELECT item, COUNT(*), window_start
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY item, window_start, window_end"""
LOOKUP = """SELECT o.id, p.price FROM (SELECT *, PROCTIME() AS now FROM orders) AS o
JOIN prices FOR SYSTEM_TIME AS OF o.now AS p ON o.item = p.item"""
TESTS = """
tests:
- name: two orders
  set: {table.local-time-zone: Europe/Berlin}
  functions: {unused: 1}
  steps:
  - watermark: 2024-01-01 00:00:00
  - rows:
      unread: [{a: 1}]
      prices: [{item: nut, price: 7}]
  - rows: {orders: [{id: 1, item: nut, ts: 2024-01-01 00:00:10}, {id: 0, item: bolt, ts: 2024-01-01 00:00:20}]}
  - kill:
  - rows: {orders: [{id: 2, item: nut, ts: 2024-01-01 00:00:30}]}
  - expect: {printed: []}
  - watermark: 2024-01-01 00:01:00
  - late: {orders: [{id: 3, item: late, ts: 2024-01-01 00:00:30}]}
- name: no prices
  steps:
  - rows: {orders: [{id: 1, item: nut}]}
- name: a wrong row
  steps:
  - rows: {orders: [{id: one}]}
"""


def previewed(spark: SparkSession, test: str, statement: str = "", limits: Limits | None = None) -> BoundedRows:
    case = case_named(cases_of_text(TESTS), test)
    script = SCRIPT + statement
    plan = preview_plan(case.settings, script, len(script), 100)
    return sample_rows(plan, case, engines_of(spark), limits or Limits())


def changes(rows: BoundedRows) -> list[tuple[str, ...]]:
    return [(row.kind, *(value or "NULL" for value in row.values)) for row in rows.rows]


def test_changes_of_an_insert(spark: SparkSession) -> None:
    rows = previewed(spark, "two orders")
    counted = [("+I", "nut", "1"), ("-U", "nut", "1"), ("+U", "nut", "2"), ("+I", "late", "1")]
    assert (changes(rows), rows.ended) == (counted, "end")
    assert [column.name for column in rows.columns] == ["item", "n"]


def test_windows_close_with_the_watermark_of_the_test(spark: SparkSession) -> None:
    start = "2024-01-01 00:00:00.000"
    assert changes(previewed(spark, "two orders", WINDOWS)) == [("+I", "nut", "2", start), ("+I", "bolt", "1", start)]


def test_rows_of_a_lookup_table(spark: SparkSession) -> None:
    assert changes(previewed(spark, "two orders", LOOKUP)) == [("+I", "1", "7"), ("+I", "2", "7")]


@pytest.mark.wide
def test_a_statement_that_only_spark_runs(spark: SparkSession) -> None:
    statement = "SELECT id FROM orders UNION ALL VALUES (10), (11)"
    rows = changes(previewed(spark, "two orders", statement))
    assert sorted(rows) == [("+I", id_) for id_ in ("0", "1", "10", "11", "2", "3")]


@pytest.mark.parametrize(
    ("limits", "rows", "ended"),
    [(Limits(rows=2), 2, "rows"), (Limits(bytes=5), 1, "bytes"), (Limits(seconds=-1), 0, "seconds")],
)
def test_limits(spark: SparkSession, limits: Limits, rows: int, ended: str) -> None:
    preview = previewed(spark, "two orders", limits=limits)
    assert (len(preview.rows), preview.ended) == (rows, ended)


@pytest.mark.parametrize(
    ("test", "statement", "said"),
    [
        ("no prices", LOOKUP, ("'no prices' has no rows for 'prices'", "line 17", "`- rows: {prices: [...]}`")),
        ("a wrong row", "", ("one is no INT", "line 22")),
        ("two order", "", ("no test 'two order'", "two orders")),
        ("two orders", "SELECT 1", ("reads no table",)),
    ],
)
def test_refusals(spark: SparkSession, test: str, statement: str, said: tuple[str, ...]) -> None:
    with pytest.raises(CompiledPlanError) as raised:
        previewed(spark, test, statement)
    assert all(piece in raised.value.render() for piece in said), raised.value.render()
