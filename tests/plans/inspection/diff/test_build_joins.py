"""Verdicts of changes of joins of all kinds."""

from __future__ import annotations

import pytest

from tests.support.diffs import FULL, INCOMPATIBLE, PARTIAL, TABLES, Pair, check

JOIN = "SELECT o.shop, h.rent FROM orders AS o JOIN shops AS h ON o.shop = h.shop"
WIDE = "SELECT o.shop, h.rent, {} FROM orders AS o JOIN shops AS h ON o.shop = h.shop"
STOCK = "SELECT s.shop, s.v, {} FROM stock AS s JOIN shops AS h ON s.shop = h.shop"
SOLD = "SELECT o.shop, CAST({} AS BIGINT) FROM orders AS o JOIN stock AS s ON o.shop = s.shop"
KEYED = "SELECT s.shop, s.v, {} FROM keyed_stock AS s JOIN shops AS h ON s.shop = h.shop"
EXISTS = "SELECT shop, CAST(v AS BIGINT) FROM orders AS o WHERE {} (SELECT 1 FROM shops AS h WHERE h.shop = o.shop{})"
NEAR = (
    "SELECT o.shop, {columns} FROM orders AS o {kind} JOIN visits AS v ON o.shop = v.shop AND v.t BETWEEN "
    "o.t - INTERVAL '{low}' MINUTE AND o.t + INTERVAL '{high}' MINUTE{more}"
)
RATED = "SELECT o.shop, {} FROM orders AS o {} JOIN rates FOR SYSTEM_TIME AS OF o.t AS r ON o.{} = r.shop"
THREE = (
    "SELECT o.shop, h.{}, k.v FROM orders AS o JOIN shops AS h ON o.shop = h.shop JOIN stock AS k ON o.shop = k.shop"
)
MULTI = "SET 'table.optimizer.multi-join.enabled' = 'true';\n"
CDC = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
OUTER = JOIN.replace("JOIN", "LEFT JOIN")
NULL = "CAST(NULL AS INT)"


def near(columns: str = "o.v", low: int = 5, high: int = 5, kind: str = "", more: str = "") -> str:
    return NEAR.format(columns=columns, low=low, high=high, kind=kind, more=more)


PAIRS = {
    "a column is dropped": Pair(
        f"INSERT INTO s3 {WIDE.format('h.tax')};",
        f"INSERT INTO s3 {JOIN};",
        FULL,
        says=("right columns: shops.tax -> none, fully compatible",),
        after=TABLES["s3"].replace(", m BIGINT", ""),
    ),
    "the key of the other side of an inner join": Pair(JOIN, JOIN.replace("SELECT o.shop", "SELECT h.shop"), FULL),
    "the key of the other side of an inner interval join": Pair(
        near(),
        near().replace("SELECT o.shop", "SELECT v.shop"),
        FULL,
    ),
    "the key of the other side of an outer join": Pair(
        OUTER, OUTER.replace("SELECT o.shop", "SELECT h.shop"), PARTIAL, FULL, says=("keep the old k",)
    ),
    "a column is added to rows that are only appended": Pair(
        WIDE.format(NULL),
        WIDE.format("h.tax"),
        PARTIAL,
        says=("right columns: none -> shops.tax", "rows from before have no value in shops.tax"),
        sink="s3",
    ),
    "a column is added to rows that are taken back": Pair(
        STOCK.format(NULL),
        STOCK.format("s.w"),
        INCOMPATIBLE,
        says=("they would not match, and the old row would stay for ever",),
        sink="s3",
    ),
    "a column is added to rows of the right side that are taken back": Pair(
        SOLD.format("s.v"),
        SOLD.format("s.v + s.w"),
        INCOMPATIBLE,
        says=("right columns: none -> stock.w", "they would not match, and the old row would stay for ever"),
    ),
    "a column is added to rows that are told apart by a key": Pair(
        KEYED.format("s.id"),
        KEYED.format("s.id + s.w"),
        PARTIAL,
        says=("left columns: none -> keyed_stock.w", "rows from before have no value in keyed_stock.w"),
        sink="s3",
    ),
    "columns change places": Pair(
        "INSERT INTO s3 (k, n, m) SELECT o.shop, h.rent, h.tax FROM orders AS o JOIN shops AS h ON o.shop = h.shop;",
        "INSERT INTO s3 (k, m, n) SELECT o.shop, h.tax, h.rent FROM orders AS o JOIN (SELECT tax, shop, rent "
        "FROM shops) AS h ON o.shop = h.shop;",
        FULL,
        says=("right columns", "fully compatible"),
    ),
    "a column is wider": Pair(JOIN, JOIN, FULL, after=TABLES["shops"].replace("rent INT", "rent BIGINT")),
    "a column is narrower": Pair(
        JOIN, JOIN, PARTIAL, before=TABLES["shops"].replace("rent INT", "rent BIGINT"), after=""
    ),
    "inner to left": Pair(
        JOIN, OUTER, PARTIAL, says=("join type: INNER -> LEFT", "retracts a padded row that was never emitted")
    ),
    "left to inner": Pair(OUTER, JOIN, PARTIAL, says=("padded rows of the left side that were emitted before stay",)),
    "left to right": Pair(
        OUTER, OUTER.replace("LEFT", "RIGHT"), PARTIAL, says=("of the right side", "of the left side")
    ),
    "left to full": Pair(OUTER, OUTER.replace("LEFT", "FULL"), PARTIAL, says=("join type: LEFT -> FULL",)),
    "the condition of an inner join": Pair(
        f"{JOIN} AND o.v > h.tax", f"{JOIN} AND o.v > h.tax + 1", PARTIAL, says=("pairs emitted by the old condition",)
    ),
    "the condition of an outer join": Pair(
        f"{OUTER} AND o.v > h.tax",
        f"{OUTER} AND o.v > h.tax + 1",
        INCOMPATIBLE,
        says=("matches of each row were counted by the old condition",),
    ),
    "the condition of a semi join": Pair(
        EXISTS.format("EXISTS", " AND o.v > h.tax"), EXISTS.format("EXISTS", " AND o.v > h.tax + 1"), INCOMPATIBLE
    ),
    "semi to anti": Pair(
        EXISTS.format("EXISTS", ""), EXISTS.format("NOT EXISTS", ""), INCOMPATIBLE, says=("join type: SEMI -> ANTI",)
    ),
    "another key": Pair(JOIN, JOIN.replace("o.shop = h", "o.town = h"), INCOMPATIBLE, says=("left key",)),
    "a wider key": Pair(
        "SELECT o.shop, h.tax FROM orders AS o JOIN shops AS h ON o.v = h.rent",
        "SELECT o.shop, h.tax FROM orders AS o JOIN shops AS h ON o.v = h.rent",
        FULL,
        says=("right key: shops.rent INT -> shops.rent BIGINT",),
        before="",
        after=TABLES["shops"].replace("rent INT", "rent BIGINT"),
    ),
    "a filter in front of one side": Pair(
        JOIN,
        JOIN.replace("JOIN shops", "JOIN (SELECT * FROM shops WHERE tax > 3)"),
        PARTIAL,
        says=("right filter: none -> (shops.tax > 3)", "does not hold stay"),
    ),
    "sides change places": Pair(
        JOIN,
        "SELECT o.shop, h.rent FROM shops AS h JOIN orders AS o ON o.shop = h.shop",
        PARTIAL,
        says=("added, partially compatible. it starts empty",),
    ),
    "a key of its own for what is read": Pair(
        STOCK.format("s.id"),
        STOCK.format("s.id"),
        FULL,
        sink="s3",
        after=TABLES["stock"].replace("id INT", "id INT PRIMARY KEY NOT ENFORCED"),
    ),
    "a third table": Pair(
        WIDE.format(NULL), THREE.format("rent"), PARTIAL, says=("it starts empty: rows of",), sink="s3"
    ),
    "a column of many tables is dropped": Pair(
        f"INSERT INTO s3 {THREE.format('rent')};",
        f"INSERT INTO s3 {THREE.format('rent').replace(', k.v', '')};",
        FULL,
        before=MULTI,
        after=MULTI + TABLES["s3"].replace(", m BIGINT", ""),
    ),
    "a filter in front of many tables": Pair(
        THREE.format("rent"), f"{THREE.format('rent')} WHERE h.tax > 1", PARTIAL, sink="s3", before=MULTI
    ),
    "one table less of many": Pair(
        f"{THREE.format('rent')}",
        WIDE.format(NULL),
        PARTIAL,
        sink="s3",
        before=MULTI,
        says=("removed, fully compatible",),
    ),
    "a narrower interval": Pair(
        near(), near(low=3), PARTIAL, FULL, says=("that the new bounds reject were emitted before, and stay",)
    ),
    "a narrower interval of an outer join": Pair(
        near(kind="LEFT"), near(low=3, kind="LEFT"), PARTIAL, says=("are not emitted without a match as well",)
    ),
    "a wider interval": Pair(
        near(), near(low=9), PARTIAL, says=("rows that were too old for the old bounds are gone",)
    ),
    "a wider and narrower interval": Pair(
        near(), near(low=9, high=1), PARTIAL, says=("are gone", "the new bounds reject")
    ),
    "an outer interval join": Pair(near(), near(kind="LEFT"), PARTIAL, says=("that found no match and are gone",)),
    "a condition of an outer interval join": Pair(
        near(kind="LEFT", more=" AND o.v > 1 + v.guests"),
        near(kind="LEFT", more=" AND o.v > 2 + v.guests"),
        INCOMPATIBLE,
    ),
    "a column of an interval join": Pair(
        near(f"o.v, {NULL}"),
        near("o.v, v.guests"),
        PARTIAL,
        says=("rows from before that wait for others have no value in visits.guests",),
        sink="s3",
    ),
    "another watermark of an interval join": Pair(
        near(),
        near(),
        PARTIAL,
        says=("rows that were late by the old watermark are gone",),
        after=TABLES["visits"].replace("AS t)", "AS t - INTERVAL '1' SECOND)"),
    ),
    "a column of versions": Pair(
        RATED.format(f"r.rate, {NULL}", "", "shop"),
        RATED.format("r.rate, r.fee", "", "shop"),
        PARTIAL,
        says=("right columns: none -> rates.fee",),
        sink="s3",
        before=CDC,
    ),
    "another key of versions": Pair(
        RATED.format("r.rate", "", "shop"), RATED.format("r.rate", "", "town"), INCOMPATIBLE, before=CDC
    ),
    "an outer temporal join": Pair(
        RATED.format("r.rate", "", "shop"),
        RATED.format("r.rate", "LEFT", "shop"),
        PARTIAL,
        says=("that found no match were dropped, and are not emitted",),
        before=CDC,
    ),
    "an aggregate behind a join that is left": Pair(
        f"SELECT shop, SUM(rent) FROM ({JOIN}) GROUP BY shop",
        f"SELECT shop, SUM(rent) FROM ({OUTER}) GROUP BY shop",
        PARTIAL,
        says=("its rows come from left join on orders.shop = shops.shop",),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PAIRS)
def test_verdict(name: str) -> None:
    check(PAIRS[name])
