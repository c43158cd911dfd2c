"""Verdicts of changes of operators that store rows by key: unique rows, top-n, OVER, windows, patterns, sorted rows."""

from __future__ import annotations

import pytest

from tests.support.diffs import FULL, INCOMPATIBLE, ORDERS, PARTIAL, TABLES, Pair, check

RANKED = (
    "SELECT {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS r FROM {table}) "
    "WHERE r <= {n}"
)
OVER = "SELECT shop, SUM({v}) OVER (PARTITION BY {by} ORDER BY {order}{frame}) FROM orders"
HOUR = "TUMBLE(TABLE orders, DESCRIPTOR(t), INTERVAL '{}' MINUTE)"
WINDOWS = "SELECT {by}, {calls} FROM TABLE({window}) {where}GROUP BY {by}, window_start, window_end"
SESSION = "SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(t), INTERVAL '{}' MINUTE)"
PATTERN = (
    "SELECT shop, n FROM orders MATCH_RECOGNIZE (PARTITION BY shop ORDER BY t MEASURES {measure} AS n ONE ROW PER "
    "MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN ({pattern}) DEFINE B AS {define})"
)
CDC = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
NULL = "CAST(NULL AS INT)"


def ranked(columns: str = "shop, v", n: int = 2, by: str = "shop", order: str = "v", table: str = "orders") -> str:
    return RANKED.format(columns=columns, n=n, by=by, order=order, table=table)


def unique(columns: str = "shop, v", by: str = "shop", order: str = "p") -> str:
    return ranked(columns, 1, by, order)


def over(v: str = "v", by: str = "shop", order: str = "t", frame: str = "") -> str:
    return OVER.format(v=v, by=by, order=order, frame=frame)


def last(rows: int) -> str:
    return f" ROWS BETWEEN {rows} PRECEDING AND CURRENT ROW"


def minutes(number: int) -> str:
    return f" RANGE BETWEEN INTERVAL '{number}' MINUTE PRECEDING AND CURRENT ROW"


def windows(calls: str = "SUM(v)", by: str = "shop", window: str = HOUR.format(60), where: str = "") -> str:
    return WINDOWS.format(calls=calls, by=by, window=window, where=where)


def first_of_window(columns: str = "shop, v", n: int = 1, order: str = "v") -> str:
    return ranked(columns, n, "window_start, window_end, shop", order, f"TABLE({HOUR.format(60)})")


def pattern(measure: str = "B.v", pattern: str = "A B", define: str = "B.v > A.v") -> str:
    return PATTERN.format(measure=measure, pattern=pattern, define=define)


def upserts_twice(first: str, second: str, column: str = "v", grouping: str = "") -> str:
    query = f"INSERT INTO s{{}} SELECT shop, {column} FROM keyed_stock WHERE {{}}{grouping};"
    return query.format(1, first) + query.format(2, second)


LATER = ORDERS.replace("INTERVAL '5' SECOND", "INTERVAL '9' SECOND")
ROWS = {
    "another column of the first row": Pair(
        unique("shop, v"), unique("shop, w"), PARTIAL, FULL, says=("sink s1", "keep the old n")
    ),
    "another key of unique rows": Pair(unique(), unique(by="town"), INCOMPATIBLE, says=("key: orders.shop -> orders",)),
    "the last row instead of the first": Pair(
        unique(),
        unique(order="p DESC"),
        INCOMPATIBLE,
        says=("the first row of each key is stored, and the last row is unknown",),
    ),
    "the first row by time instead of arrival": Pair(
        unique(), unique(order="t"), INCOMPATIBLE, says=("order: arrival",)
    ),
    "a column of the last row is added": Pair(
        unique(f"shop, v, {NULL}", order="p DESC"),
        unique("shop, v, w", order="p DESC"),
        PARTIAL,
        says=("rows from before have no value in orders.w",),
        sink="s3",
    ),
    "a column of the last row is dropped": Pair(
        f"INSERT INTO s3 {unique('shop, v, w', order='p DESC')};",
        f"INSERT INTO s3 {unique('shop, v', order='p DESC')};",
        FULL,
        says=("columns: orders.w -> none, fully compatible",),
        after=TABLES["s3"].replace(", m BIGINT", ""),
    ),
    "another watermark of unique rows": Pair(unique(order="t DESC"), unique(order="t DESC"), FULL, after=LATER),
    "more rows": Pair(ranked(), ranked(n=3), PARTIAL, says=("ranked behind the old last rank are not emitted",)),
    "fewer rows": Pair(
        ranked(n=3), ranked(n=2), PARTIAL, says=("rows from before that rank behind the new last rank were emitted",)
    ),
    "other ranks": Pair(
        ranked(n=3),
        f"{ranked(n=3)} AND r > 1",
        PARTIAL,
        says=("ranks: 1 to 3 -> 2 to 3", "before the first rank change"),
    ),
    "another partition": Pair(ranked(), ranked(by="town"), INCOMPATIBLE),
    "another order": Pair(
        ranked(), ranked(order="v DESC"), INCOMPATIBLE, says=("state was selected and sorted by the old order",)
    ),
    "a column of a top-n is added": Pair(
        ranked(f"shop, v, {NULL}"), ranked("shop, v, w"), PARTIAL, says=("columns: none -> orders.w",), sink="s3"
    ),
    "a column of a top-n over rows that are taken back": Pair(
        ranked(f"shop, v, {NULL}", table="stock"), ranked("shop, v, w", table="stock"), INCOMPATIBLE, sink="s3"
    ),
    "a filter in front of a top-n": Pair(
        ranked(), ranked(table="(SELECT * FROM orders WHERE w > 1)"), PARTIAL, says=("does not hold stay",)
    ),
    "a column of upserts": Pair(
        f"SELECT shop, v, {NULL} FROM keyed_stock WHERE v > 0",
        "SELECT shop, v, w FROM keyed_stock WHERE v > 0",
        PARTIAL,
        says=("operator last row for each id, of keyed_stock: changed, partially", "columns: none -> keyed_stock.w"),
        sink="s3",
        before=CDC,
    ),
    "a relaxed filter of upserts": Pair(
        "SELECT shop, v FROM keyed_stock WHERE v > 6",
        "SELECT shop, v FROM keyed_stock WHERE v > 3",
        PARTIAL,
        before=CDC,
        says=("(keyed_stock.v > 6)",),
    ),
    "a filter of upserts is shared by one query less": Pair(
        upserts_twice("v > 6", "v > 6"),
        upserts_twice("v > 6", "v > 3"),
        PARTIAL,
        before=CDC,
        says=(
            "sink s1, what changes from now on; nothing of the past again: kept, fully",
            "sink s2, what changes from now on; nothing of the past again: changed, partially",
            "held back are emitted only with their",
        ),
    ),
    "a filter of upserts is shared again": Pair(
        upserts_twice("v > 6", "v > 3"),
        upserts_twice("v > 6", "v > 6"),
        PARTIAL,
        before=CDC,
        says=(
            "sink s1, what changes from now on; nothing of the past again: kept, fully",
            "sink s2, what changes from now on; nothing of the past again: changed, partially",
        ),
    ),
    "a filter of upserts in front of an aggregate": Pair(
        upserts_twice("v > 6", "v > 6", "SUM(v)", " GROUP BY shop"),
        upserts_twice("v > 6", "v > 3", "SUM(v)", " GROUP BY shop"),
        PARTIAL,
        before=CDC,
        says=(
            "operator SUM(v) by shop, of keyed_stock: kept, fully",
            "sink s1, what changes from now on; nothing of the past again: kept, fully",
        ),
    ),
    "another key of upserts": Pair(
        "SELECT shop, v FROM keyed_stock",
        "SELECT shop, v FROM keyed_stock",
        INCOMPATIBLE,
        before=CDC,
        after=CDC
        + TABLES["keyed_stock"]
        .replace(" PRIMARY KEY NOT ENFORCED", "")
        .replace("shop STRING", "shop STRING PRIMARY KEY NOT ENFORCED"),
    ),
}
OVERS = {
    "another aggregate over all rows before": Pair(
        over("v"), over("w"), PARTIAL, says=("starts empty: for existing keys it lacks the rows",)
    ),
    "another aggregate over some rows": Pair(
        over("v", frame=last(2)).replace("SUM", "MIN"),
        over("v", frame=last(2)).replace("SUM", "MAX"),
        PARTIAL,
        FULL,
        says=("aggregates: MIN(orders.v) -> MAX(orders.v), fully compatible", "sink s1"),
    ),
    "another column over some rows": Pair(
        over("v", frame=last(2)),
        over("w", frame=last(2)),
        PARTIAL,
        says=("rows from before have no value in orders.w",),
    ),
    "more rows before": Pair(
        over(frame=last(2)), over(frame=last(4)), PARTIAL, says=("until the new frame holds only new rows",)
    ),
    "fewer rows before": Pair(
        over(frame=last(4)), over(frame=last(2)), INCOMPATIBLE, says=("one row leaves the frame",)
    ),
    "more time before": Pair(
        over(frame=minutes(5)), over(frame=minutes(9)), PARTIAL, says=("have left the old frame",)
    ),
    "less time before": Pair(
        over(frame=minutes(9)),
        over(frame=minutes(5)),
        PARTIAL,
        FULL,
        says=("results over the longer frame were emitted, and stay",),
    ),
    "all rows instead of some": Pair(over(frame=last(2)), over(), INCOMPATIBLE, says=("of the new frame are unknown",)),
    "some rows instead of all": Pair(over(), over(frame=last(2)), INCOMPATIBLE, says=("of the new frame are unknown",)),
    "time instead of rows": Pair(over(frame=last(2)), over(frame=minutes(2)), INCOMPATIBLE),
    "another partition of OVER": Pair(over(), over(by="town"), INCOMPATIBLE),
    "another clock of OVER": Pair(over(), over(order="p"), INCOMPATIBLE, says=("order", "operator")),
}
WINDOWED = {
    "a call of windows is added": Pair(
        windows(f"SUM(v), {NULL}"),
        windows("SUM(v), MAX(w)"),
        PARTIAL,
        says=("MAX(orders.w) starts empty: until the open windows have closed",),
        sink="s3",
    ),
    "a call of windows is dropped": Pair(
        windows("SUM(v), MAX(w)"),
        windows(f"SUM(v), {NULL}"),
        PARTIAL,
        FULL,
        says=("keep the old m",),
        sink="s3",
    ),
    "another grouping of windows": Pair(windows(), windows(by="town"), INCOMPATIBLE),
    "windows of another size": Pair(
        windows(), windows(window=HOUR.format(30)), INCOMPATIBLE, says=("window: TUMBLE(PT1H)", "TUMBLE(PT30M)")
    ),
    "windows of another time": Pair(windows(), windows(window=HOUR.format(60).replace("(t)", "(p)")), INCOMPATIBLE),
    "another gap": Pair(windows(window=SESSION.format(9)), windows(window=SESSION.format(5)), INCOMPATIBLE),
    "a filter in front of windows": Pair(
        windows(), windows(where="WHERE w > 1 "), PARTIAL, says=("does not hold stay counted in open windows",)
    ),
    "another watermark of windows": Pair(windows(), windows(), PARTIAL, after=LATER, says=("watermark:",)),
    "more rows of a window": Pair(
        first_of_window(), first_of_window(n=2), PARTIAL, says=("rows from before of open windows",)
    ),
    "another order of a window": Pair(first_of_window(), first_of_window(order="v DESC"), INCOMPATIBLE),
    "another zone of windows": Pair(
        windows(window=HOUR.format(60).replace("(t)", "(l)")),
        windows(window=HOUR.format(60).replace("(t)", "(l)")),
        INCOMPATIBLE,
        before="SET 'table.local-time-zone' = 'UTC';\n" + ORDERS.replace("FOR t AS t", "FOR l AS l"),
        after="SET 'table.local-time-zone' = 'Asia/Kolkata';\n" + ORDERS.replace("FOR t AS t", "FOR l AS l"),
        says=("time zone: UTC -> Asia/Kolkata",),
    ),
}
SORTED = "INSERT INTO appended SELECT shop, CAST(v AS BIGINT) FROM orders ORDER BY t, v;"
MATCHES = {
    "another pattern": Pair(pattern(), pattern(pattern="A B C"), INCOMPATIBLE, says=("pattern:",)),
    "another definition": Pair(pattern(), pattern(define="B.v > A.w"), INCOMPATIBLE, says=("definitions:",)),
    "another measure": Pair(pattern(), pattern("B.w"), PARTIAL, FULL, says=("measures:",)),
    "a measure of another row": Pair(pattern(), pattern("LAST(B.w, 1)"), PARTIAL, FULL, says=("measures:",)),
    "a measure over computed values": Pair(
        pattern(), pattern("SUM(B.w + 1)"), PARTIAL, says=("partial matches have no value for FINAL SUM",)
    ),
    "a filter in front of a pattern": Pair(
        pattern(), pattern().replace("FROM orders", "FROM (SELECT * FROM orders WHERE w > 1)"), PARTIAL
    ),
    "a column of sorted rows": Pair(
        f"INSERT INTO appended SELECT shop, {NULL} FROM orders ORDER BY t;",
        "INSERT INTO appended SELECT shop, v FROM orders ORDER BY t;",
        PARTIAL,
        says=("rows from before that wait for their time have no value in orders.v",),
    ),
    "another order of sorted rows": Pair(
        "INSERT INTO appended SELECT shop, v FROM orders ORDER BY t, v;",
        "INSERT INTO appended SELECT shop, v FROM orders ORDER BY t, v DESC;",
        PARTIAL,
        FULL,
        says=("rows that were emitted before are in the old order",),
    ),
    "an order by a wider value": Pair(
        SORTED,
        SORTED,
        FULL,
        FULL,
        says=("INT -> orders.v ASC NULLS FIRST BIGINT, fully compatible",),
        after=ORDERS.replace(" v INT", " v BIGINT"),
    ),
    "another time of sorted rows": Pair(
        "INSERT INTO appended SELECT shop, v FROM orders ORDER BY t;",
        "INSERT INTO appended SELECT shop, v FROM orders ORDER BY p;",
        INCOMPATIBLE,
    ),
}
PAIRS = ROWS | OVERS | WINDOWED | MATCHES


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PAIRS)
def test_verdict(name: str) -> None:
    check(PAIRS[name])
