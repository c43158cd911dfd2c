"""New operators over tables that were read before, filled from history (`--warm-up all`)."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import Elsewhere, Kind
from tests.upgrades.kinds.windows import HOUR, windows

#: There is no such option.
ABSENT = Elsewhere.ABSENT
_WARMING = "tests/plans/execution/state/upgrade/test_warming.py"
_ALL = f"{_WARMING}::test_filled_operators_equal_those_that_saw_all_rows"
_TOTAL = "INSERT INTO sink SELECT shop, SUM(price) FROM sales GROUP BY shop;"
_HOURS = f"INSERT INTO sink {windows('SUM(price)')};"
_RANKED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY {} DESC) AS r FROM sales"
_SUMS = (
    "SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY p ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n "
    "FROM sales"
)


def _filled(
    name: str, change: str, query: str, first: str = _TOTAL, sink: str = "keyed", covered_by: str = _ALL
) -> Kind:
    """An additional query, beside one that continues; of its new table the changes from then on."""
    new = f"{first} INSERT INTO {sink} {query};"
    note = "rows of its new table come when they change next"
    plan = Verdict.PARTIAL
    return Kind(
        name,
        change,
        first,
        new,
        Verdict.FULL,
        ABSENT,
        ABSENT,
        plan,
        sink,
        note,
        sink=sink,
        warm_up=True,
        covered_by=covered_by,
    )


KINDS = (
    _filled("filled-aggregate", "a new GROUP BY", "SELECT shop, COUNT(*), SUM(pieces) FROM sales GROUP BY shop"),
    Kind(
        "filled-join",
        "a new inner join with a table that was not read before",
        _TOTAL,
        f"{_TOTAL} INSERT INTO wide SELECT s.shop, h.rent, s.price FROM sales AS s JOIN shops AS h ON s.shop = h.shop;",
        Verdict.FULL,
        ABSENT,
        ABSENT,
        sink="wide",
        warm_up=True,
        covered_by=f"{_WARMING}::test_old_rows_join_those_of_a_new_table",
    ),
    _filled(
        "filled-last-row",
        "a new last row of each key",
        f"SELECT shop, price, pieces FROM ({_RANKED.format('p')}) WHERE r = 1",
    ),
    _filled(
        "filled-top-n",
        "a new top-n",
        f"SELECT shop, SUM(price), COUNT(*) FROM ({_RANKED.format('price')}) WHERE r < 3 GROUP BY shop",
    ),
    _filled("filled-over", "a new OVER", f"SELECT shop, SUM(n), COUNT(*) FROM ({_SUMS}) GROUP BY shop"),
    _filled(
        "filled-windows",
        "new windows: those that are open are whole",
        windows("SUM(pieces)", window=HOUR.replace("'1' HOUR", "'2' HOUR")),
        _HOURS,
        "other",
        f"{_WARMING}::test_filled_timers_equal_those_of_a_run_over_all_rows",
    ),
)
