"""Operators with pending timers, in programs that do not change: they migrate to another number of partitions.

The first half of the rows leaves pending rows in each: an open window, a click whose rate is not final, a row that may
still match.
"""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.matches import near, rated, rising
from tests.upgrades.kinds.model import Elsewhere, Kind
from tests.upgrades.kinds.over import over
from tests.upgrades.kinds.windows import HOUR, SESSION, joined, ranked, windows

_HOP = HOUR.replace("TUMBLE", "HOP").replace("'1' HOUR", "'30' MINUTE, INTERVAL '1' HOUR")
_CUMULATE = HOUR.replace("TUMBLE", "CUMULATE").replace("'1' HOUR", "'20' MINUTE, INTERVAL '1' HOUR")
_RANGE = " RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"
_UPSERTS = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"


def _timer(name: str, query: str, covered_by: str = "") -> Kind:
    tables = (_UPSERTS, _UPSERTS) if "rates" in query else ("", "")
    restored, absent = Elsewhere.RESTORED, Elsewhere.ABSENT
    return Kind(name, "nothing", query, query, Verdict.FULL, restored, absent, tables=tables, covered_by=covered_by)


KINDS = (
    _timer("tumbling-windows", windows("SUM(price)"), "hopping-windows"),
    _timer("hopping-windows", windows("SUM(price)", window=_HOP)),
    _timer("cumulating-windows", windows("SUM(price)", window=_CUMULATE), "hopping-windows"),
    _timer("sessions", windows("SUM(price)", window=SESSION.format(45))),
    _timer(
        "window-join", joined("guests").replace("c.shop, guests", "c.shop, guests * 1000 + price"), "window-outer-join"
    ),
    _timer(
        "window-outer-join",
        joined("COALESCE(guests, -1)", "FULL JOIN").replace("c.shop,", "COALESCE(c.shop, v.shop),"),
    ),
    _timer("window-top-n", ranked("price")),
    _timer("window-deduplication", ranked("price", order="at1 DESC")),
    _timer("over-all-rows", over("SUM(price)", table="clicks", order="at1", then="").replace(",  FROM", " FROM")),
    _timer(
        "over-an-hour",
        over("SUM(price)", table="clicks", order="at1", frame=_RANGE, then="").replace(",  FROM", " FROM"),
    ),
    _timer("interval-join", near("price", 30), "interval-outer-join"),
    _timer("interval-outer-join", near("COALESCE(guests, -1)", 4, "LEFT JOIN")),
    _timer("temporal-join", rated("price * rate"), "temporal-outer-join"),
    _timer("temporal-outer-join", rated("COALESCE(rate, -1)", kind="LEFT JOIN")),
    _timer("match", rising()),
    _timer("sort", "SELECT shop, price FROM clicks ORDER BY at1"),
)
