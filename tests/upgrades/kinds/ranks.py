"""Changes of deduplication, of top-n, and of upsert normalization."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import TABLES, TAKEN, Elsewhere, Kind

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

_UPSERTS = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
_SHOPS = TABLES["shops"].replace("tax INT", "tax INT, p AS PROCTIME()")
_ZERO = "CAST(0 AS INT)"


def first(column: str, by: str = "shop", order: str = "p", table: str = "sales") -> str:
    """The first row of each key; with `order` the last one."""
    return (
        f"SELECT shop, {column} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS r "
        f"FROM {table}) WHERE r = 1"
    )


def top(columns: str = "shop, price", n: int = 2, by: str = "PARTITION BY shop ", order: str = "price") -> str:
    """The first `n` rows of each group."""
    return f"SELECT {columns} FROM (SELECT *, ROW_NUMBER() OVER ({by}ORDER BY {order}) AS r FROM sales) WHERE r <= {n}"


KINDS = (
    Kind(
        "another-column-of-the-first-row",
        "another column of the first row of a key",
        first("price"),
        first("pieces"),
        FULL,
        RESTORED,
        RESTORED,
        note="rows that the sink was given stay",
        plan=PARTIAL,
        names="sink",
        result=[("x", 3), ("y", 5), ("z", 9)],
    ),
    Kind(
        "column-of-the-last-row-dropped",
        "a column of the last row of a key is dropped",
        first("price, pieces", order="p DESC"),
        first(f"price, {_ZERO}", order="p DESC"),
        FULL,
        REFUSED,
        ABSENT,
        sink="keyed",
        plan=PARTIAL,
        names="keyed",
        note="rows of the sink that do not change again keep the old column",
        covered_by="column-of-the-last-row-added",
    ),
    Kind(
        "column-of-the-last-row-added",
        "a column more of the last row of a key",
        first(f"price, {_ZERO}", order="p DESC"),
        first("price, pieces", order="p DESC"),
        PARTIAL,
        REFUSED,
        ABSENT,
        names="columns",
        note="rows from before have no value there",
        sink="wide",
        result=[
            (TAKEN, "x", 3, None),
            (TAKEN, "y", 50, None),
            (TAKEN, "z", 9, None),
            ("x", 100, 1000),
            ("x", 3, 0),
            ("y", 50, 0),
            ("y", 7, 70),
            ("z", 1, 4),
            ("z", 9, 0),
        ],
    ),
    Kind(
        "another-column-of-the-last-row",
        "another column of the last row of a key",
        first("rent", order="p DESC", table="shops"),
        first("tax", order="p DESC", table="shops"),
        PARTIAL,
        WRONG,
        ABSENT,
        names="columns",
        note="rows from before have no value there",
        tables=(_SHOPS, _SHOPS),
        result=[("x", 7), ("y", 8), ("z", 3)],
        says="columns: checkpoint has shops.rent, plan has shops.tax",
        wrong=[("x", 7), ("y", 8), ("z", 3)],
        covered_by="column-of-the-last-row-added",
    ),
    Kind(
        "another-key-of-deduplication",
        "rows are unique by another column",
        first("price"),
        first("price", by="town"),
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="key",
    ),
    Kind(
        "last-row-instead-of-first",
        "the last row of a key instead of the first",
        first("price"),
        first("price", order="p DESC"),
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="keeps",
    ),
    Kind(
        "top-more",
        "a top-1 becomes a top-3",
        top(n=1),
        top(n=3),
        PARTIAL,
        UNDEFINED,
        ABSENT,
        names="ranks",
        note="rows that had fallen out are not known",
        result=[("x", 100), ("x", 3), ("y", 5), ("y", 7), ("z", 1), ("z", 9)],
    ),
    Kind(
        "top-fewer",
        "a top-2 becomes a top-1",
        top(),
        top(n=1),
        PARTIAL,
        UNDEFINED,
        ABSENT,
        names="ranks",
        note="rows that the sink was given before stay",
        result=[("x", 3), ("y", 5), ("y", 50), ("z", 1)],
        covered_by="top-more",
    ),
    Kind(
        "column-of-a-top-n-added",
        "a column more of a top-n",
        top(f"shop, price, {_ZERO}"),
        top("shop, price, pieces"),
        PARTIAL,
        REFUSED,
        ABSENT,
        names="columns",
        note="rows from before have no value there",
        sink="wide",
        result=[
            (TAKEN, "y", 50, None),
            ("x", 100, 1000),
            ("x", 3, 0),
            ("y", 5, 0),
            ("y", 50, 0),
            ("y", 7, 70),
            ("z", 1, 4),
            ("z", 9, 0),
        ],
    ),
    Kind(
        "columns-of-a-top-n-permuted",
        "columns of a top-n change places",
        "SELECT shop, price, pieces FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM "
        "(SELECT shop, price, pieces FROM sales)) WHERE r <= 2",
        "SELECT shop, price, pieces FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM "
        "(SELECT pieces, price, shop FROM sales)) WHERE r <= 2",
        FULL,
        REFUSED,
        ABSENT,
        sink="wide",
        covered_by="column-of-a-top-n-added",
    ),
    Kind(
        "another-partition-of-a-top-n",
        "a top-n by another column",
        top("town, price", by="PARTITION BY shop "),
        top("town, price", by="PARTITION BY town "),
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="key",
    ),
    Kind(
        "another-order-of-a-top-n",
        "another ORDER BY of a top-n",
        top(by=""),
        top(by="", order="price DESC"),
        INCOMPATIBLE,
        WRONG,
        ABSENT,
        names="order",
        says="order: checkpoint has sales.price ASC NULLS FIRST, plan has sales.price DESC NULLS LAST",
        wrong=[("x", 100), ("y", 7)],
    ),
    Kind(
        "column-of-upserts-dropped",
        "a column of a table of upserts is no longer read",
        "SELECT dev, fw, CHAR_LENGTH(owner) FROM devices WHERE fw > 0",
        f"SELECT dev, fw, {_ZERO} FROM devices WHERE fw > 0",
        FULL,
        REFUSED,
        ABSENT,
        sink="keyed",
        tables=(_UPSERTS, _UPSERTS),
        plan=PARTIAL,
        names="keyed",
        note="rows of the sink that do not change again keep the old column",
        result=[("d1", 2, 0), ("d2", 6, 0), ("d4", 4, 3)],
        covered_by="column-of-upserts-added",
    ),
    Kind(
        "column-of-upserts-added",
        "a column more of a table of upserts is read",
        f"SELECT dev, fw, {_ZERO} FROM devices WHERE fw > 0",
        "SELECT dev, fw, CHAR_LENGTH(owner) FROM devices WHERE fw > 0",
        PARTIAL,
        REFUSED,
        ABSENT,
        names="columns",
        note="rows from before have no value there",
        sink="keyed",
        tables=(_UPSERTS, _UPSERTS),
        result=[("d1", 2, 3), ("d2", 6, 3), ("d4", 4, 0)],
    ),
    Kind(
        "filter-of-upserts-relaxed",
        "a filter over a table of upserts lets more through",
        "SELECT dev, fw FROM devices WHERE fw > 6",
        "SELECT dev, fw FROM devices WHERE fw > 3",
        PARTIAL,
        WRONG,
        ABSENT,
        names="condition",
        note="rows that it held back before come with their next change",
        tables=(_UPSERTS, _UPSERTS),
        result=[("d2", 6)],
        covered_by="column-of-upserts-added",
    ),
    Kind(
        "another-key-of-upserts",
        "another primary key of a table of upserts",
        "SELECT dev, fw FROM devices WHERE fw > 0",
        "SELECT dev, fw FROM devices WHERE fw > 0",
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="key",
        tables=(
            _UPSERTS + TABLES["devices"].replace("fw INT", "fw INT, age INT"),
            _UPSERTS + TABLES["devices"].replace("(dev)", "(owner)").replace("fw INT", "fw INT, age INT"),
        ),
    ),
)
