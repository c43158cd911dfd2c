"""Verdicts of changes of tables, of statements, and of a sink's input."""

from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.diff.model import Change
from tests.support.diffs import FULL, INCOMPATIBLE, ORDERS, PARTIAL, TABLES, Pair, check, diff_of, table

SUM = "SELECT shop, SUM(v) FROM orders GROUP BY shop"
COUNT = "SELECT shop, COUNT(*) FROM {} GROUP BY shop"
UNION = "(SELECT shop FROM orders UNION ALL SELECT shop FROM {})"
WINDOWS = (
    "SELECT shop, COUNT(*) FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR(t), INTERVAL '1' HOUR)) "
    "GROUP BY shop, window_start, window_end"
)
BOTH = "CREATE VIEW both_of AS SELECT shop, t FROM orders UNION ALL SELECT shop, t FROM visits;"
PLAIN = "SELECT shop, CAST(v AS BIGINT) FROM orders"
UPSERT = "INSERT INTO materialised SELECT SUM(v), SUM(w), shop FROM stock GROUP BY shop ON CONFLICT DO {};"
KEY = "PRIMARY KEY ({}) NOT ENFORCED"


SOURCES = {
    "a source's interval": Pair(
        SUM,
        SUM,
        FULL,
        says=("source.monitor-interval: '1 s' -> '2 s', fully compatible. no row depends on it",),
        before=ORDERS.replace("'format'", "'source.monitor-interval' = '1 s', 'format'"),
        after=ORDERS.replace("'format'", "'source.monitor-interval' = '2 s', 'format'"),
    ),
    "a source's path": Pair(
        SUM,
        SUM,
        INCOMPATIBLE,
        PARTIAL,
        says=("source orders, lost: read from the beginning: changed, incompatible. rows read at the old location",),
        after=ORDERS.replace("/data/orders", "/data/elsewhere"),
    ),
    "a source's way to read": Pair(
        SUM,
        SUM,
        PARTIAL,
        says=("rows read before used another 'json.ignore-parse-errors'",),
        after=ORDERS.replace("'format'", "'json.ignore-parse-errors' = 'true', 'format'"),
    ),
    "a source's name": Pair(
        SUM,
        SUM.replace("orders", "sold"),
        FULL,
        says=("name: orders -> sold, fully compatible",),
        after=ORDERS.replace("TABLE orders", "TABLE sold"),
    ),
    "a source's column that nobody reads": Pair(
        SUM, SUM, FULL, says=("column note: none -> STRING",), after=ORDERS.replace("id INT", "id INT, note STRING")
    ),
    "a source's columns in another order": Pair(
        SUM, SUM, FULL, after=ORDERS.replace("shop STRING, town STRING", "town STRING, shop STRING")
    ),
    "names of two tables are swapped": Pair(
        SUM,
        SUM.replace("orders", "others"),
        FULL,
        before=table("orders", "shop STRING, v INT", path="a") + table("others", "shop STRING, v INT", path="b"),
        after=table("others", "shop STRING, v INT", path="a") + table("orders", "shop STRING, v INT", path="b"),
    ),
    "another table": Pair(
        SUM,
        SUM.replace("orders", "more"),
        INCOMPATIBLE,
        FULL,
        says=("operator SUM(v) by shop, of more: added, fully", "operator SUM(v) by shop, of orders: removed, fully"),
    ),
    "a table more that was never read": Pair(
        COUNT.format("(SELECT shop FROM orders)"),
        COUNT.format(UNION.format("more")),
        FULL,
        says=("rows of more are read from their beginning", "source more, new: read from its beginning"),
    ),
    "a table more that was read before": Pair(
        f"INSERT INTO s1 {COUNT.format('(SELECT shop FROM orders)')}; INSERT INTO s2 {COUNT.format('more')};",
        f"INSERT INTO s1 {COUNT.format(UNION.format('more'))}; INSERT INTO s2 {COUNT.format('more')};",
        PARTIAL,
        says=("rows of more from before are missing",),
    ),
    "a table less": Pair(
        COUNT.format(UNION.format("more")),
        COUNT.format("(SELECT shop FROM orders)"),
        PARTIAL,
        says=("rows from before that came from more stay counted",),
    ),
    "a table instead of another in a union": Pair(
        COUNT.format(UNION.format("more")),
        COUNT.format(UNION.format("shops")),
        PARTIAL,
        says=("rows from before that came from more stay counted; those from shops are read from their beginning",),
    ),
    "a filter of one branch of a union": Pair(
        COUNT.format(UNION.format("more")),
        COUNT.format(UNION.format("more WHERE v > 1")),
        PARTIAL,
        says=("rows of more from before for which `(more.v > 1)` does not hold stay counted",),
    ),
    "a table more in windows": Pair(
        f"CREATE VIEW both_of AS SELECT shop, t FROM orders; INSERT INTO s1 {WINDOWS.format('both_of')};",
        f"{BOTH} INSERT INTO s1 {WINDOWS.format('both_of')};",
        PARTIAL,
        says=("those that the watermark has passed are late",),
    ),
    "constant rows more": Pair(
        COUNT.format("(SELECT shop FROM orders)"),
        COUNT.format("(SELECT shop FROM orders UNION ALL SELECT * FROM (VALUES ('x')) AS t(shop))"),
        FULL,
        says=("read from their beginning",),
    ),
}
SINKS = {
    "another path": Pair(
        SUM,
        SUM,
        PARTIAL,
        FULL,
        says=("sink s1, what changes from now on; nothing of the past: changed", "stay at the old location"),
        after=TABLES["s1"].replace("/data/s1", "/data/new"),
    ),
    "another table is written": Pair(
        f"INSERT INTO s1 {SUM};",
        f"INSERT INTO s2 {SUM};",
        PARTIAL,
        FULL,
        says=("sink s2", "past results of orders are not written to it", "sink s1, nothing any more"),
    ),
    "one table more is written": Pair(
        f"INSERT INTO s1 {SUM};",
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {SUM};",
        PARTIAL,
        FULL,
        says=("sink s2, what changes from now on; nothing of the past: added, partially",),
    ),
    "a statement over a new table": Pair(
        f"INSERT INTO s1 {SUM};",
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {COUNT.format('more')};",
        FULL,
        says=("sink s2, all rows: added, fully compatible", "and more is read from the beginning"),
    ),
    "a statement over a known table": Pair(
        f"INSERT INTO s1 {SUM};",
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {COUNT.format('orders')};",
        PARTIAL,
        says=("COUNT(*) by shop, of orders: added, partially compatible. it starts empty",),
    ),
    "a statement is removed": Pair(
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {COUNT.format('more')};",
        f"INSERT INTO s1 {SUM};",
        FULL,
        says=("its state is dropped", "source more, kept, for when it comes back: removed"),
    ),
    "another projection of appended rows": Pair(
        PLAIN, PLAIN.replace("CAST(v", "CAST(w"), PARTIAL, FULL, says=("keep the old n",), sink="appended"
    ),
    "a filter of appended rows": Pair(
        PLAIN, f"{PLAIN} WHERE w > 1", PARTIAL, FULL, says=("does not hold stay written",), sink="appended"
    ),
    "a table more of appended rows": Pair(
        PLAIN, f"{PLAIN} UNION ALL SELECT shop, CAST(v AS BIGINT) FROM more", FULL, says=("union",), sink="appended"
    ),
    "a wider column of appended rows": Pair(
        "SELECT shop, v FROM orders",
        "SELECT shop, v FROM orders",
        FULL,
        sink="appended",
        before=TABLES["appended"].replace("BIGINT", "INT"),
        after="",
    ),
    "a wider column in files that know types": Pair(
        "SELECT shop, v FROM orders",
        "SELECT shop, v FROM orders",
        PARTIAL,
        FULL,
        says=("rows written before have n in the old type",),
        sink="appended",
        before=TABLES["appended"].replace("BIGINT", "INT").replace("'json'", "'parquet'"),
        after=TABLES["appended"].replace("'json'", "'parquet'"),
    ),
    "columns of lines in another order": Pair(
        PLAIN,
        f"INSERT INTO appended (k, n) {PLAIN};",
        PARTIAL,
        FULL,
        says=("are in another order",),
        sink="appended",
        before=TABLES["appended"].replace("'json'", "'csv'"),
        after=TABLES["appended"].replace("k STRING, n BIGINT", "n BIGINT, k STRING").replace("'json'", "'csv'"),
    ),
    "a column of a sink is added": Pair(
        SUM,
        "SELECT shop, SUM(v), CAST(1 AS BIGINT) FROM orders GROUP BY shop",
        PARTIAL,
        FULL,
        says=("column m: none -> 1, partially compatible. rows written before have no m",),
        after=TABLES["s1"].replace("n BIGINT", "n BIGINT, m BIGINT"),
    ),
    "what is done with NULL": Pair(
        SUM,
        SUM,
        PARTIAL,
        FULL,
        says=("table.exec.sink.not-null-enforcer: ERROR -> DROP",),
        after="SET 'table.exec.sink.not-null-enforcer' = 'DROP';\n",
    ),
    "the primary key of a sink": Pair(
        SUM,
        SUM,
        PARTIAL,
        FULL,
        says=("rows written before are identified by the old primary key",),
        before=TABLES["s1"].replace("n BIGINT", "n BIGINT, " + KEY.format("k")),
        after="",
    ),
    "the primary key of a sink that keeps rows": Pair(
        UPSERT.format("DEDUPLICATE"),
        UPSERT.format("DEDUPLICATE"),
        INCOMPATIBLE,
        says=("primary key: n -> m",),
        after=TABLES["materialised"].replace("KEY (n)", "KEY (m)"),
    ),
    "the columns of a sink that keeps rows": Pair(
        UPSERT.format("DEDUPLICATE"),
        UPSERT.format("DEDUPLICATE").replace("SUM(v), SUM(w), shop", "shop, SUM(w), SUM(v)"),
        FULL,
        after=TABLES["materialised"].replace("n BIGINT, m BIGINT, k STRING", "k STRING, m BIGINT, n BIGINT"),
    ),
}
SOME = SUM.replace(" GROUP", " WHERE w > 1 GROUP")
COUNTED = "SELECT shop, {}(n) FROM (SELECT shop, town, COUNT(*) AS n FROM orders{} GROUP BY shop, town) GROUP BY shop"
#: Two operators that differ in the filter in front of them give equally named rows.
ALIKE = {
    "a query becomes that of another sink": Pair(
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {SOME};",
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {SUM};",
        PARTIAL,
        FULL,
        says=(
            "rows from before came from another operator, and stay written; from now on they come from SUM(v) by shop",
        ),
    ),
    "filters of two queries change places": Pair(
        f"INSERT INTO s1 {SUM}; INSERT INTO s2 {SOME};",
        f"INSERT INTO s1 {SOME}; INSERT INTO s2 {SUM};",
        PARTIAL,
        FULL,
        says=("rows from before came from another operator, and stay written",),
    ),
    "an operator takes the rows of another one": Pair(
        f"INSERT INTO s1 {COUNTED.format('MAX', '')}; INSERT INTO s2 {COUNTED.format('MIN', ' WHERE w > 1')};",
        f"INSERT INTO s1 {COUNTED.format('MAX', '')}; INSERT INTO s2 {COUNTED.format('MIN', '')};",
        PARTIAL,
        says=(
            "rows from before came from another operator, and stay counted",
            "from now on they come from COUNT(*) by shop, town",
        ),
    ),
}
PAIRS = SOURCES | SINKS | ALIKE


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PAIRS)
def test_verdict(name: str) -> None:
    check(PAIRS[name])


def test_a_ttl_is_an_edit_of_its_own() -> None:
    pair = Pair(
        SUM, SUM, FULL, before="SET 'table.exec.state.ttl' = '1 d';\n", after="SET 'table.exec.state.ttl' = '2 d';\n"
    )
    diff = diff_of(pair)
    (operator,) = diff.operators
    assert operator.change is Change.TTL_CHANGED and not operator.edits
    assert [(ttl.index, ttl.old, ttl.new) for ttl in operator.ttls] == [(0, 86_400_000, 172_800_000)]
    assert diff.verdict is FULL and not diff.is_empty
