"""Reasons that concern some values: operators and sinks that use none of them stay fully compatible."""

from __future__ import annotations

from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.support.diffs import FULL, PARTIAL, Pair, diff_of, shown

JOINED = (
    "CREATE VIEW v1 AS SELECT o.shop, o.town, o.v, o.w, h.rent FROM orders AS o JOIN shops AS h ON o.shop = h.shop;"
)
GROUPED = "CREATE VIEW v1 AS SELECT shop, SUM(v) AS a, SUM(w) AS b FROM orders GROUP BY shop;"


def inserts(view: str, *queries: str) -> str:
    statements = " ".join(f"INSERT INTO s{at} {query};" for at, query in enumerate(queries, 1))
    return f"{view}EXECUTE STATEMENT SET BEGIN {statements} END;"


def verdicts(diff: PlanDiff) -> dict[str, Verdict]:
    """The verdicts of operators by their words, and of sinks by their names."""
    parts = [part for part in diff.parts if not isinstance(part, SourceEdit)]
    return {part.words if isinstance(part, OperatorEdit) else part.name: part.verdict for part in parts}


def test_a_column_that_only_another_statement_reads() -> None:
    total = "SELECT shop, SUM(v) FROM v1 GROUP BY shop"
    old, new = (inserts(JOINED, total, f"SELECT town, {column} FROM v1") for column in ("v", "w"))
    diff = diff_of(Pair(old, new, PARTIAL))
    assert verdicts(diff) == {
        "inner join on orders.shop = shops.shop, of orders and shops": PARTIAL,
        "SUM(orders.v) by orders.shop, of orders and shops": FULL,
        "s1": FULL,
        "s2": PARTIAL,
    }, shown(diff)


def test_a_column_that_filters_rows_concerns_all_of_them() -> None:
    """The aggregate over filtered rows is wrong in all its values; the other one, over all rows, is not."""
    total = "SELECT shop, COUNT(*) FROM v1 WHERE v > 3 GROUP BY shop"
    old, new = (inserts(JOINED, f"SELECT shop, {sum_} FROM v1", total) for sum_ in ("rent", "rent + w"))
    later = new.replace("v > 3", "w > 3")
    assert verdicts(diff_of(Pair(old, new, PARTIAL)))["s2"] is FULL
    assert verdicts(diff_of(Pair(old, later, PARTIAL)))["s2"] is PARTIAL


def test_an_aggregate_that_only_another_statement_reads() -> None:
    old, new = (inserts(GROUPED, "SELECT shop, a FROM v1", f"SELECT shop, {name} FROM v1 WHERE a > 3") for name in "ab")
    diff = diff_of(Pair(old, new, PARTIAL))
    assert verdicts(diff) == {"SUM(v), SUM(w) by shop, of orders": PARTIAL, "s1": FULL, "s2": PARTIAL}, shown(diff)


def test_values_computed_from_a_value_that_an_operator_lacks() -> None:
    """The times that the deduplication keeps get more digits: only what is computed from them is rounded."""
    first = "SELECT shop, {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p DESC) AS r FROM orders) "
    total = f"SELECT shop, SUM(n) FROM ({first}WHERE r = 1) AS t (shop, n) GROUP BY shop"
    by_float, by_int = (inserts("", total.format(column)) for column in ("CAST(f AS INT)", "v"))
    wider = {
        "before": "",
        "after": "CREATE TABLE orders (shop STRING, v INT, f DOUBLE, p AS PROCTIME()) WITH "
        "('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');\n",
    }
    assert verdicts(diff_of(Pair(by_float, by_float, PARTIAL, **wider)))["s1"] is PARTIAL
    assert verdicts(diff_of(Pair(by_int, by_int, FULL, **wider)))["s1"] is FULL
