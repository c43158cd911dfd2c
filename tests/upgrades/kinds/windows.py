"""Changes of time windows: aggregates, joins, top-n and deduplication in them."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import Elsewhere, Kind

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

HOUR = "TUMBLE(TABLE clicks, DESCRIPTOR(at1), INTERVAL '1' HOUR)"
SESSION = "SESSION(TABLE clicks PARTITION BY shop, DESCRIPTOR(at1), INTERVAL '{}' MINUTE)"


def windows(columns: str, by: str = "shop", window: str = HOUR) -> str:
    """A result for each window and key."""
    return f"SELECT {by}, {columns} FROM TABLE({window}) GROUP BY {by}, window_start, window_end"


def joined(columns: str, kind: str = "JOIN") -> str:
    """Clicks and visits of the same hour."""
    return (
        f"SELECT c.shop, {columns} FROM (SELECT shop, price, pieces, window_start, window_end FROM TABLE(TUMBLE(TABLE "
        f"clicks, DESCRIPTOR(at1), INTERVAL '1' HOUR))) AS c {kind} (SELECT shop, guests, kids, window_start, "
        "window_end FROM TABLE(TUMBLE(TABLE visits, DESCRIPTOR(at1), INTERVAL '1' HOUR))) AS v ON c.shop = v.shop "
        "AND c.window_start = v.window_start AND c.window_end = v.window_end"
    )


def ranked(columns: str, n: int = 1, by: str = "shop", order: str = "price DESC") -> str:
    """The first rows of each window and key."""
    return (
        f"SELECT {by}, {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, {by} "
        f"ORDER BY {order}) AS r FROM TABLE({HOUR})) WHERE r <= {n}"
    )


_HOURS = (
    "SELECT CAST(window_start AS STRING), COUNT(*) FROM "
    "TABLE(TUMBLE(TABLE moments, DESCRIPTOR(seen), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"
)
_ZERO = "CAST(0 AS BIGINT)"
_NOTE = "windows that were open begin anew for it"

KINDS = (
    Kind(
        "aggregate-of-a-window-dropped",
        "an aggregate of a window is dropped",
        windows("SUM(price), MAX(pieces)"),
        windows(f"SUM(price), {_ZERO}"),
        FULL,
        REFUSED,
        REFUSED,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        covered_by="aggregate-of-a-window-added",
    ),
    Kind(
        "aggregate-of-a-window-added",
        "an aggregate of a window is added",
        windows(f"SUM(price), {_ZERO}"),
        windows("SUM(price), SUM(pieces)"),
        PARTIAL,
        REFUSED,
        REFUSED,
        sink="wide",
        names="aggregates",
        note=_NOTE,
        result=[("x", 103, 1000), ("y", 55, None), ("y", 7, 70)],
    ),
    Kind(
        "another-argument-of-a-window",
        "another argument of an aggregate of a window",
        windows("SUM(price)"),
        windows("SUM(pieces)"),
        PARTIAL,
        WRONG,
        WRONG,
        names="aggregates",
        note=_NOTE,
        result=[("x", 1000), ("y", 70), ("y", None)],
        covered_by="aggregate-of-a-window-added",
    ),
    Kind(
        "another-grouping-of-windows",
        "another grouping of windows",
        windows("SUM(price)"),
        windows("SUM(price)", by="town"),
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="key",
    ),
    Kind(
        "another-size-of-windows",
        "windows of another size",
        windows("SUM(price)"),
        windows("SUM(price)", window=HOUR.replace("'1' HOUR", "'30' MINUTE")),
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="window",
    ),
    Kind(
        "another-zone-of-windows",
        "another time zone where hours begin otherwise, of windows",
        _HOURS,
        _HOURS,
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="time zone",
        zones=("UTC", "Asia/Kolkata"),
        says="time zone: checkpoint has UTC, plan has Asia/Kolkata",
        wrong=[("2024-01-01 10:00:00.000", 2), ("2024-01-01 16:00:00.000", 1)],
    ),
    Kind(
        "hopping-windows",
        "windows that overlap instead of windows in a row",
        windows("SUM(price)"),
        windows(
            "SUM(price)", window=HOUR.replace("TUMBLE", "HOP").replace(", INTERVAL", ", INTERVAL '30' MINUTE, INTERVAL")
        ),
        INCOMPATIBLE,
        REFUSED,
        WRONG,
        names="window",
    ),
    Kind(
        "another-gap-of-sessions",
        "another gap of sessions",
        windows("SUM(price)", window=SESSION.format(30)),
        windows("SUM(price)", window=SESSION.format(10)),
        INCOMPATIBLE,
        WRONG,
        WRONG,
        names="window",
    ),
    Kind(
        "aggregate-of-sessions-dropped",
        "an aggregate of sessions is dropped",
        windows("SUM(price), MAX(pieces)", window=SESSION.format(30)),
        windows(f"SUM(price), {_ZERO}", window=SESSION.format(30)),
        FULL,
        REFUSED,
        REFUSED,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
    ),
    Kind(
        "filter-in-front-of-windows",
        "a filter in front of windows",
        windows("SUM(price)"),
        windows("SUM(price)", window=HOUR).replace(" GROUP BY", " WHERE pieces > 10 GROUP BY"),
        PARTIAL,
        REFUSED,
        WRONG,
        names="filter",
        note="what came before stays counted in windows that were open",
        result=[("x", 103), ("y", 55), ("y", 7)],
        covered_by="filter-in-front-of-an-aggregate",
    ),
    Kind(
        "column-of-a-window-join-dropped",
        "a column of a join in windows is dropped",
        joined("price, guests"),
        joined("price, CAST(0 AS INT)"),
        FULL,
        REFUSED,
        ABSENT,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        covered_by="column-of-a-window-join-added",
    ),
    Kind(
        "column-of-a-window-join-added",
        "a column more of a join in windows",
        joined("price, CAST(NULL AS INT)"),
        joined("price, guests"),
        PARTIAL,
        REFUSED,
        ABSENT,
        sink="wide",
        names="right columns",
        note="rows of open windows have no value there",
        result=[
            ("x", 100, 3),
            ("x", 100, None),
            ("x", 3, 3),
            ("x", 3, None),
            ("y", 5, None),
            ("y", 50, None),
            ("y", 7, 4),
        ],
    ),
    Kind(
        "top-of-a-window",
        "a top-1 of windows becomes a top-2",
        ranked("price", 1),
        ranked("price", 2),
        PARTIAL,
        WRONG,
        ABSENT,
        names="ranks",
        note="rows that had fallen out of open windows are not known",
        result=[("x", 100), ("x", 3), ("y", 50), ("y", 7)],
    ),
    Kind(
        "another-order-in-a-window",
        "another ORDER BY of a top-n of windows",
        ranked("price", 1),
        ranked("price", 1, order="pieces DESC"),
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="order",
    ),
    Kind(
        "column-of-a-window-deduplication",
        "a column more of the last row of a window",
        ranked("price, CAST(NULL AS INT)", order="at1 DESC"),
        ranked("price, pieces", order="at1 DESC"),
        PARTIAL,
        REFUSED,
        ABSENT,
        sink="wide",
        names="columns",
        note="rows of open windows have no value there",
        result=[("x", 100, 1000), ("y", 50, None), ("y", 7, 70)],
    ),
)
