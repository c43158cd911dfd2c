"""What a changed program makes of an old checkpoint: a wrong result with the comparison off, a refusal with it on.

Each change is tried on a copy of one checkpoint: rows are read by the old program, the program changes, further rows
come. The right result is that of the new program over all rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.plans.execution.checkpoint.places import Place, Row, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SALES = "shop STRING, town STRING, price INT, pieces INT"
TABLES = (
    table("sales", SALES + ", at1 TIMESTAMP(3), at2 TIMESTAMP(3), WATERMARK FOR at1 AS at1, p AS PROCTIME()")
    + table("shops", "shop STRING, rent INT, tax INT")
    + table("starts", "shop STRING, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1")
    + table("points", "id INT, seen TIMESTAMP_LTZ(3)")
    + table("sink", "k STRING, n BIGINT", "debezium-json")
    + table("wide", "k STRING, n BIGINT, m BIGINT", "debezium-json")
)
LATE = table("late", "shop STRING, price INT, at1 TIMESTAMP(3), at2 TIMESTAMP(3), WATERMARK FOR at1 AS at1")
#: Read before and after the change of the program.
FIRST: dict[str, Sequence[Row]] = {
    "sales": (
        {"shop": "x", "town": "u", "price": 3, "pieces": 10},
        {"shop": "y", "town": "u", "price": 5, "pieces": 20},
        {"shop": "y", "town": "u", "price": 50, "pieces": 2},
        {"shop": "z", "town": "v", "price": 9, "pieces": 1},
    ),
    "shops": ({"shop": "x", "rent": 7, "tax": 1},),
    "starts": (),
    "late": ({"shop": "x", "price": 1, "at1": "2024-01-01 10:30:00", "at2": "2024-01-01 12:30:00"},),
    "points": ({"id": 1, "seen": "2024-01-01 23:30:00Z"},),
}
SECOND: dict[str, Sequence[Row]] = {
    "sales": ({"shop": "x", "town": "u", "price": 100, "pieces": 1000},),
    "shops": (),
    "starts": ({"shop": "x", "at1": "2024-01-01 10:00:00"},),
    "late": (),
    "points": ({"id": 2, "seen": "2024-01-02 00:10:00Z"},),
}


@dataclass(frozen=True)
class Change:
    """A change of a program.

    Args:
        name: for the test.
        old: a query; what it gives is written to `sink`.
        new: the query that the program is restarted with.
        says: what the refusal says: property, old and new value.
        wrong: the sink's table after a restart without the comparison.
        right: what the new program gives for all rows.
        sink: the table that is written to.
        zones: time zone of the first run and of the restart.
        tables: further tables of the first program and of the restarted one.
    """

    name: str
    old: str
    new: str
    says: str
    wrong: Sequence[tuple[Any, ...]]
    right: Sequence[tuple[Any, ...]]
    sink: str = "sink"
    zones: tuple[str, str] = ("UTC", "UTC")
    tables: tuple[str, str] = ("", "")


SUM = "SELECT shop, SUM(price) FROM sales GROUP BY shop"
CHANGES = (
    Change(
        "another_grouping",
        SUM,
        "SELECT town, SUM(price) FROM sales GROUP BY town",
        "key: checkpoint has sales.shop, plan has sales.town",
        [("x", 3), ("y", 55), ("z", 9), ("u", 100)],
        [("u", 158), ("v", 9)],
    ),
    Change(
        "sum_of_another_column",
        SUM,
        "SELECT shop, SUM(pieces) FROM sales GROUP BY shop",
        "aggregates: checkpoint has SUM(sales.price), plan has SUM(sales.pieces)",
        [("x", 1003), ("y", 55), ("z", 9)],
        [("x", 1010), ("y", 22), ("z", 1)],
    ),
    Change(
        "another_expression_under_sum",
        SUM,
        "SELECT shop, SUM(price * 2) FROM sales GROUP BY shop",
        "aggregates: checkpoint has SUM(sales.price), plan has SUM((sales.price * 2))",
        [("x", 203), ("y", 55), ("z", 9)],
        [("x", 206), ("y", 110), ("z", 18)],
    ),
    Change(
        "two_sums_swapped",
        "SELECT shop, SUM(price), SUM(pieces) FROM sales GROUP BY shop",
        "SELECT shop, SUM(pieces), SUM(price) FROM sales GROUP BY shop",
        "aggregates: checkpoint has SUM(sales.price), SUM(sales.pieces), plan has SUM(sales.pieces), SUM(sales.price)",
        [("x", 1003, 110), ("y", 55, 22), ("z", 9, 1)],
        [("x", 1010, 103), ("y", 22, 55), ("z", 1, 9)],
        "wide",
    ),
    Change(
        "another_output_column_of_a_join",
        "SELECT s.shop, h.rent FROM sales AS s JOIN shops AS h ON s.shop = h.shop",
        "SELECT s.shop, h.tax FROM sales AS s JOIN shops AS h ON s.shop = h.shop",
        "right columns: checkpoint has shops.rent, plan has shops.tax",
        [("x", 7), ("x", 7)],
        [("x", 1), ("x", 1)],
    ),
    Change(
        "another_column_kept_by_deduplicate",
        "SELECT shop, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p DESC) AS r FROM sales) "
        "WHERE r = 1",
        "SELECT shop, pieces FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p DESC) AS r FROM sales) "
        "WHERE r = 1",
        "columns: checkpoint has sales.price, plan has sales.pieces",
        [("y", 50), ("z", 9), ("x", 1000)],
        [("y", 2), ("z", 1), ("x", 1000)],
    ),
    Change(
        "another_order_of_a_top_n",
        "SELECT shop, price FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY price) AS r FROM sales) WHERE r <= 2",
        "SELECT shop, price FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY price DESC) AS r FROM sales) WHERE r <= 2",
        "order: checkpoint has sales.price ASC NULLS FIRST, plan has sales.price DESC NULLS LAST",
        [("x", 3), ("x", 100)],
        [("y", 50), ("x", 100)],
    ),
    Change(
        "another_partition_of_over",
        "SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY p) FROM sales",
        "SELECT shop, SUM(price) OVER (PARTITION BY town ORDER BY p) FROM sales",
        "key: checkpoint has sales.shop, plan has sales.town",
        [("x", 3), ("y", 5), ("y", 55), ("z", 9), ("x", 100)],
        [("x", 3), ("y", 8), ("y", 58), ("z", 9), ("x", 158)],
    ),
    Change(
        "another_argument_of_over",
        "SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY p) FROM sales",
        "SELECT shop, SUM(pieces) OVER (PARTITION BY shop ORDER BY p) FROM sales",
        "aggregates: checkpoint has COUNT(sales.price), SUM0(sales.price), "
        "plan has COUNT(sales.pieces), SUM0(sales.pieces)",
        [("x", 3), ("y", 5), ("y", 55), ("z", 9), ("x", 1003)],
        [("x", 10), ("y", 20), ("y", 22), ("z", 1), ("x", 1010)],
    ),
    Change(
        "another_time_of_an_interval_join",
        "SELECT a.shop, b.price FROM starts AS a JOIN late AS b ON a.shop = b.shop "
        "AND b.at1 BETWEEN a.at1 AND a.at1 + INTERVAL '1' HOUR",
        "SELECT a.shop, b.price FROM starts AS a JOIN late AS b ON a.shop = b.shop "
        "AND b.at2 BETWEEN a.at1 AND a.at1 + INTERVAL '1' HOUR",
        "times: checkpoint has late.at1, plan has late.at2",
        [("x", 1)],
        [],
        tables=(LATE, LATE.replace("FOR at1 AS at1", "FOR at2 AS at2")),
    ),
    Change(
        "two_chained_aggregates_swapped",
        "SELECT town, MAX(s) FROM (SELECT shop, town, MIN(price) AS s FROM sales GROUP BY shop, town) GROUP BY town",
        "SELECT town, MIN(s) FROM (SELECT shop, town, MAX(price) AS s FROM sales GROUP BY shop, town) GROUP BY town",
        "aggregates: checkpoint has MIN(sales.price), plan has MAX(sales.price)",
        [("u", 5), ("u", 5), ("v", 9)],
        [("u", 50), ("v", 9)],
    ),
    Change(
        "a_filter_in_front_of_an_aggregate",
        SUM,
        "SELECT shop, SUM(price) FROM sales WHERE pieces > 10 GROUP BY shop",
        "filter: checkpoint has none, plan has (sales.pieces > 10)",
        [("x", 103), ("y", 55), ("z", 9)],
        [("x", 100), ("y", 5)],
    ),
    Change(
        "a_filter_in_front_of_a_join",
        "SELECT s.shop, h.rent FROM sales AS s JOIN shops AS h ON s.shop = h.shop",
        "SELECT s.shop, h.rent FROM sales AS s JOIN (SELECT * FROM shops WHERE rent > 7) AS h ON s.shop = h.shop",
        "right filter: checkpoint has none, plan has (shops.rent > 7)",
        [("x", 7), ("x", 7)],
        [],
    ),
    Change(
        "another_zone_of_texts",
        "SELECT CAST(CAST(seen AS DATE) AS STRING), COUNT(*) FROM points GROUP BY CAST(seen AS DATE)",
        "SELECT CAST(CAST(seen AS DATE) AS STRING), COUNT(*) FROM points GROUP BY CAST(seen AS DATE)",
        "time zone: checkpoint has UTC, plan has Europe/Berlin",
        [("2024-01-01", 1), ("2024-01-02", 1)],
        [("2024-01-02", 2)],
        zones=("UTC", "Europe/Berlin"),
    ),
)


def started(spark: SparkSession, folder: Path, change: Change) -> Place:
    place = Place(spark, folder)
    place.add(FIRST)
    place.run(place.compiled(TABLES + change.tables[0], f"INSERT INTO {change.sink} {change.old}"), change.zones[0])
    place.add(SECOND)
    return place


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_change_is_refused_that_would_be_silently_wrong(spark: SparkSession, tmp_path: Path, change: Change) -> None:
    place = started(spark, tmp_path, change)
    plan = place.compiled(TABLES + change.tables[1], f"INSERT INTO {change.sink} {change.new}")
    said = place.refusal(plan, change.zones[1])
    place.run(plan, change.zones[1], guarded=False)
    assert place.rows(change.sink) == sorted(change.wrong, key=str)
    assert place.rows(change.sink) != sorted(change.right, key=str)
    assert re.search(r"operator [a-z0-9_-]+, " + re.escape(change.says), said), said
    assert "or start with an empty checkpoint folder" in said
    assert "try: " in said
