"""Verdicts of changes of aggregates over groups."""

from __future__ import annotations

import pytest

from tests.support.diffs import FULL, INCOMPATIBLE, ORDERS, PARTIAL, TABLES, Pair, check

SUM = "SELECT shop, SUM(v) FROM orders GROUP BY shop"
THREE = "SELECT shop, {}, {} FROM {} GROUP BY shop"
NULL, ZERO = "CAST(NULL AS BIGINT)", "CAST(0 AS BIGINT)"
INNER = "SELECT shop, town, SUM(v) AS n FROM orders {}GROUP BY shop, town"
TWO = "SELECT shop, {}(n) FROM ({}) GROUP BY shop"
APPENDED = TABLES["stock"].replace("debezium-json", "json")
MINI_BATCH = (
    "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
    "SET 'table.exec.mini-batch.size' = '10'; SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';\n"
)
DISTINCT = "SELECT shop, COUNT(DISTINCT v) FROM orders GROUP BY shop"

PAIRS = {
    "a call is added": Pair(
        THREE.format("SUM(v)", NULL, "orders"),
        THREE.format("SUM(v)", "MAX(w)", "orders"),
        PARTIAL,
        says=("MAX(orders.w) starts empty: in every existing group it lacks the rows from before",),
        sink="s3",
    ),
    "a call is added where rows are taken back": Pair(
        THREE.format("SUM(v)", NULL, "stock"),
        THREE.format("SUM(v)", "SUM(w)", "stock"),
        PARTIAL,
        says=("SUM(stock.w) starts empty", "and retracts rows that it never counted"),
        sink="s3",
    ),
    "all rows are counted, which are counted anyway": Pair(
        THREE.format("SUM(v)", NULL, "orders"),
        THREE.format("SUM(v)", "COUNT(*)", "orders"),
        PARTIAL,
        FULL,
        says=(
            "aggregates: none -> COUNT(*), fully compatible",
            "rows that do not change again keep the old m",
        ),
        sink="s3",
    ),
    "some rows are counted, which nobody has counted": Pair(
        THREE.format("SUM(v)", NULL, "orders"),
        THREE.format("SUM(v)", "COUNT(*) FILTER (WHERE w > 1)", "orders"),
        PARTIAL,
        says=("starts empty",),
        sink="s3",
    ),
    "a call is dropped, and the sink's column with it": Pair(
        f"INSERT INTO s3 {THREE.format('SUM(v)', 'COUNT(w)', 'orders')};",
        f"INSERT INTO s3 {SUM};",
        FULL,
        says=("aggregates: COUNT(orders.w) -> none, fully compatible", "rows written before still have m"),
        after=TABLES["s3"].replace(", m BIGINT", ""),
    ),
    "a call is dropped, and the sink gets something else": Pair(
        THREE.format("SUM(v)", "COUNT(w)", "orders"),
        THREE.format("SUM(v)", ZERO, "orders"),
        PARTIAL,
        FULL,
        says=("sink s3", "rows that do not change again keep the old m"),
        sink="s3",
    ),
    "calls change places, and the sink's columns with them": Pair(
        "INSERT INTO s3 (k, n, m) SELECT shop, SUM(v), COUNT(w) FROM orders GROUP BY shop;",
        "INSERT INTO s3 (k, m, n) SELECT shop, COUNT(w), SUM(v) FROM orders GROUP BY shop;",
        FULL,
    ),
    "calls change places alone": Pair(
        THREE.format("SUM(v)", "SUM(w)", "orders"),
        THREE.format("SUM(w)", "SUM(v)", "orders"),
        PARTIAL,
        FULL,
        says=("sink s3", "rows that do not change again keep the old n"),
        sink="s3",
    ),
    "the argument is another column": Pair(
        SUM, SUM.replace("SUM(v)", "SUM(w)"), PARTIAL, says=("aggregates: SUM(orders.v) -> SUM(orders.w)",)
    ),
    "the argument is another expression": Pair(
        SUM, SUM.replace("SUM(v)", "SUM(v + 1)"), PARTIAL, says=("SUM((orders.v + 1)) starts empty",)
    ),
    "another FILTER": Pair(
        SUM.replace("SUM(v)", "SUM(v) FILTER (WHERE w > 1)"),
        SUM.replace("SUM(v)", "SUM(v) FILTER (WHERE w > 2)"),
        PARTIAL,
        says=("FILTER", "starts empty"),
    ),
    "DISTINCT": Pair(SUM.replace("SUM(v)", "COUNT(v)"), DISTINCT, PARTIAL, says=("COUNT(DISTINCT orders.v) starts",)),
    "another grouping": Pair(
        SUM,
        SUM.replace("shop", "town"),
        INCOMPATIBLE,
        says=("key: orders.shop -> orders.town", "not found under the new one"),
    ),
    "one more grouping": Pair(
        SUM, f"{SUM}, town", INCOMPATIBLE, says=("key: orders.shop -> orders.shop, orders.town",)
    ),
    "MAX over rows that are taken back from now on": Pair(
        "SELECT shop, MAX(v) FROM stock GROUP BY shop",
        "SELECT shop, MAX(v) FROM stock GROUP BY shop",
        INCOMPATIBLE,
        says=("MAX(stock.v) stored one value, and now needs all of them",),
        before=APPENDED,
        after="",
    ),
    "MAX, and rows come to it that are taken back": Pair(
        "SELECT shop, MAX(v) FROM orders GROUP BY shop",
        "SELECT shop, MAX(v) FROM (SELECT shop, v FROM orders UNION ALL SELECT shop, v FROM stock) GROUP BY shop",
        INCOMPATIBLE,
        says=("stored one value, and now needs all of them",),
    ),
    "one phase becomes two": Pair(SUM, SUM, FULL, after=MINI_BATCH),
    "a wider argument": Pair(
        "SELECT shop, CAST(SUM(v) AS BIGINT) FROM orders GROUP BY shop",
        SUM,
        FULL,
        says=("SUM(orders.v) INT -> SUM(orders.v) BIGINT, fully compatible",),
        after=ORDERS.replace(" v INT", " v BIGINT"),
    ),
    "a narrower argument": Pair(SUM, SUM, PARTIAL, before=ORDERS.replace(" v INT", " v BIGINT"), after=""),
    "a wider decimal": Pair(
        "SELECT shop, CAST(SUM(d) AS BIGINT) FROM orders GROUP BY shop",
        "SELECT shop, CAST(SUM(d) AS BIGINT) FROM orders GROUP BY shop",
        FULL,
        after=ORDERS.replace("DECIMAL(10, 2)", "DECIMAL(20, 2)"),
    ),
    "a finer decimal": Pair(
        "SELECT shop, CAST(SUM(d) AS BIGINT) FROM orders GROUP BY shop",
        "SELECT shop, CAST(SUM(d) AS BIGINT) FROM orders GROUP BY shop",
        PARTIAL,
        says=("SUM(orders.d) starts empty",),
        after=ORDERS.replace("DECIMAL(10, 2)", "DECIMAL(20, 4)"),
    ),
    "a finer floating number": Pair(
        "SELECT shop, CAST(SUM(f) AS BIGINT) FROM orders GROUP BY shop",
        "SELECT shop, CAST(SUM(f) AS BIGINT) FROM orders GROUP BY shop",
        PARTIAL,
        says=("SUM(orders.f) accumulated before were rounded",),
        after=ORDERS.replace("f FLOAT", "f DOUBLE"),
    ),
    "an expression of something wider": Pair(
        "SELECT shop, SUM(v * w) FROM orders GROUP BY shop",
        "SELECT shop, SUM(v * w) FROM orders GROUP BY shop",
        PARTIAL,
        says=("were rounded to the old type",),
        after=ORDERS.replace(" v INT", " v BIGINT"),
    ),
    "a wider key": Pair(
        "SELECT CAST(v AS STRING), COUNT(*) FROM orders GROUP BY v",
        "SELECT CAST(v AS STRING), COUNT(*) FROM orders GROUP BY v",
        FULL,
        says=("key: orders.v INT -> orders.v BIGINT, fully compatible",),
        after=ORDERS.replace(" v INT", " v BIGINT"),
    ),
    "a longer key": Pair(
        SUM,
        SUM,
        FULL,
        before=ORDERS.replace("shop STRING", "shop VARCHAR(10)"),
        after=ORDERS.replace("shop STRING", "shop VARCHAR(20)"),
    ),
    "a key of another type": Pair(
        "SELECT CAST(v AS STRING), COUNT(*) FROM orders GROUP BY v",
        "SELECT CAST(v AS STRING), COUNT(*) FROM orders GROUP BY v",
        INCOMPATIBLE,
        after=ORDERS.replace(" v INT", " v DOUBLE"),
    ),
    "a filter is added": Pair(
        SUM,
        "SELECT shop, SUM(v) FROM orders WHERE w > 10 GROUP BY shop",
        PARTIAL,
        says=("rows from before for which `(orders.w > 10)` does not hold stay counted", "filter `(orders.w > 10)`"),
    ),
    "a filter is removed": Pair(
        "SELECT shop, SUM(v) FROM orders WHERE w > 10 GROUP BY shop",
        SUM,
        PARTIAL,
        says=("rows from before that `(orders.w > 10)` rejected are missing",),
    ),
    "another filter": Pair(
        "SELECT shop, SUM(v) FROM orders WHERE w > 10 GROUP BY shop",
        "SELECT shop, SUM(v) FROM orders WHERE w > 20 GROUP BY shop",
        PARTIAL,
        says=("`(orders.w > 20)` does not hold stay counted", "that `(orders.w > 10)` rejected are missing"),
    ),
    "a filter over rows that are taken back": Pair(
        "SELECT shop, SUM(v) FROM stock GROUP BY shop",
        "SELECT shop, SUM(v) FROM stock WHERE w > 10 GROUP BY shop",
        PARTIAL,
        says=("stay counted, and are not retracted when they change",),
    ),
    "a filter by something wider": Pair(
        "SELECT shop, SUM(v) FROM orders WHERE w > 10 GROUP BY shop",
        "SELECT shop, SUM(v) FROM orders WHERE w > 10 GROUP BY shop",
        FULL,
        after=ORDERS.replace("w INT", "w BIGINT"),
    ),
    "HAVING": Pair(SUM, f"{SUM} HAVING SUM(v) > 5", PARTIAL, FULL, says=("sink s1", "does not hold stay written")),
    "a filter in front of the first of two": Pair(
        TWO.format("SUM", INNER.format("")),
        TWO.format("SUM", INNER.format("WHERE w > 1 ")),
        PARTIAL,
        says=(
            "operator SUM(SUM(v) BY shop, town) by shop, of orders: kept, partially compatible. its rows come from "
            "SUM(v) by shop, town, of orders: rows from before for which",
            "sink s1",
        ),
    ),
    "an aggregate in front": Pair(
        SUM,
        TWO.format("SUM", INNER.format("")),
        PARTIAL,
        says=("by shop, town, of orders: added, partially compatible. it starts empty: rows of orders from before",),
    ),
    "both of two": Pair(
        TWO.format("MAX", INNER.format("")),
        TWO.format("MIN", INNER.format("").replace("SUM", "MAX")),
        PARTIAL,
        says=("MAX(orders.v) starts empty", "MIN(MAX(orders.v) BY orders.shop, orders.town) starts empty"),
    ),
    "a call of the first of two that the second does not want": Pair(
        TWO.format("SUM", INNER.format("").replace("SUM(v) AS n", "SUM(v) AS n, MAX(w) AS x") + " HAVING MAX(w) > 1"),
        TWO.format("SUM", INNER.format("")),
        PARTIAL,
        says=("aggregates: MAX(orders.w) -> none, fully compatible", "rejected are missing"),
    ),
    "rows are unique in front of an aggregate": Pair(
        SUM,
        "SELECT shop, SUM(v) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY p) AS r FROM orders) "
        "WHERE r = 1 GROUP BY shop",
        PARTIAL,
        says=(
            "the first row for each id by arrival, of orders: added, partially compatible. it starts empty",
            "rows from before came from orders, and stay counted; from now on they come from first(orders)",
        ),
    ),
    "the last row in front of MAX": Pair(
        SUM.replace("SUM", "MAX"),
        "SELECT shop, MAX(v) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY p DESC) AS r FROM orders) "
        "WHERE r = 1 GROUP BY shop",
        INCOMPATIBLE,
        says=("MAX(orders.v) stored one value, and now needs all of them",),
    ),
    "another zone where days are grouped": Pair(
        "SELECT CAST(CAST(l AS DATE) AS STRING), COUNT(*) FROM orders GROUP BY CAST(l AS DATE)",
        "SELECT CAST(CAST(l AS DATE) AS STRING), COUNT(*) FROM orders GROUP BY CAST(l AS DATE)",
        INCOMPATIBLE,
        says=("time zone: UTC -> Europe/Berlin",),
        before="SET 'table.local-time-zone' = 'UTC';\n",
        after="SET 'table.local-time-zone' = 'Europe/Berlin';\n",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PAIRS)
def test_verdict(name: str) -> None:
    check(PAIRS[name])
