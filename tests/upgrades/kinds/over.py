"""Changes of aggregates OVER rows."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import Elsewhere, Kind

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

_NOTHING = "CAST(NULL AS BIGINT)"


def over(
    *calls: str, by: str = "shop", order: str = "p", frame: str = "", table: str = "sales", then: str = _NOTHING
) -> str:
    """Aggregates over all rows before, or over those of a frame."""
    window = f"OVER (PARTITION BY {by} ORDER BY {order}{frame})"
    shown = [f"{call} {window}" for call in calls] + [then] * (2 - len(calls))
    return f"SELECT shop, {', '.join(shown)} FROM {table}"


_LAST = " ROWS BETWEEN {} PRECEDING AND CURRENT ROW"
_TIME = " RANGE BETWEEN INTERVAL '{}' MINUTE PRECEDING AND CURRENT ROW"

KINDS = (
    Kind(
        "another-aggregate-over-some-rows",
        "another aggregate over the last rows",
        over("SUM(price)", frame=_LAST.format(1)),
        over("MAX(price)", frame=_LAST.format(1)),
        FULL,
        REFUSED,
        ABSENT,
        plan=PARTIAL,
        sink="wide",
        names="wide",
        note="it is made of the rows of the frame, which are kept; what was given before stays",
        result=[
            ("x", 100, None),
            ("x", 3, None),
            ("y", 5, None),
            ("y", 50, None),
            ("y", 55, None),
            ("z", 9, None),
            ("z", 9, None),
        ],
    ),
    Kind(
        "aggregate-over-all-rows-added",
        "an aggregate more over all rows before",
        over("SUM(price)"),
        over("SUM(price)", "SUM(pieces)"),
        PARTIAL,
        REFUSED,
        ABSENT,
        sink="wide",
        names="aggregates",
        note="the new one begins with the rows from now on",
        result=[
            ("x", 103, 1000),
            ("x", 3, None),
            ("y", 5, None),
            ("y", 55, None),
            ("y", 62, 70),
            ("z", 10, 4),
            ("z", 9, None),
        ],
    ),
    Kind(
        "aggregate-over-all-rows-dropped",
        "an aggregate over all rows before is dropped",
        over("SUM(price)", "SUM(pieces)"),
        over("SUM(price)"),
        FULL,
        REFUSED,
        ABSENT,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        result=[
            ("x", 103, None),
            ("x", 3, 10),
            ("y", 5, 20),
            ("y", 55, 22),
            ("y", 62, None),
            ("z", 10, None),
            ("z", 9, 1),
        ],
        covered_by="aggregate-over-all-rows-added",
    ),
    Kind(
        "another-argument-of-over",
        "another argument of an aggregate over all rows before",
        over("SUM(price)"),
        over("SUM(pieces)"),
        PARTIAL,
        WRONG,
        ABSENT,
        sink="wide",
        names="aggregates",
        note="that aggregate begins with the rows from now on",
        result=[
            ("x", 1000, None),
            ("x", 3, None),
            ("y", 5, None),
            ("y", 55, None),
            ("y", 70, None),
            ("z", 4, None),
            ("z", 9, None),
        ],
        says="aggregates: checkpoint has COUNT(sales.price), SUM0(sales.price), "
        "plan has COUNT(sales.pieces), SUM0(sales.pieces)",
        wrong=[
            ("x", 1003, None),
            ("x", 3, None),
            ("y", 125, None),
            ("y", 5, None),
            ("y", 55, None),
            ("z", 13, None),
            ("z", 9, None),
        ],
        covered_by="aggregate-over-all-rows-added",
    ),
    Kind(
        "wider-frame",
        "a wider frame of OVER",
        over("SUM(price)", table="clicks", order="at1", frame=_TIME.format(5)),
        over("SUM(price)", table="clicks", order="at1", frame=_TIME.format(90)),
        PARTIAL,
        WRONG,
        ABSENT,
        sink="wide",
        names="frame",
        note="until the rows from before are as old as the frame",
        result=[("x", 100, None), ("x", 3, None), ("y", 5, None), ("y", 50, None), ("y", 7, None), ("z", 9, None)],
    ),
    Kind(
        "another-partition-of-over",
        "another PARTITION BY of OVER",
        over("SUM(price)"),
        over("SUM(price)", by="town"),
        INCOMPATIBLE,
        WRONG,
        ABSENT,
        sink="wide",
        names="key",
        says="key: checkpoint has sales.shop, plan has sales.town",
        wrong=[
            ("x", 100, None),
            ("x", 3, None),
            ("y", 5, None),
            ("y", 55, None),
            ("y", 7, None),
            ("z", 8, None),
            ("z", 9, None),
        ],
    ),
    Kind(
        "another-order-of-over",
        "another ORDER BY of OVER",
        over("SUM(price)", table="clicks", order="at1"),
        over("SUM(price)", table="clicks", order="at2"),
        INCOMPATIBLE,
        WRONG,
        ABSENT,
        sink="wide",
        names="order",
        tables=(
            "",
            "CREATE TABLE clicks (shop STRING, town STRING, price INT, pieces INT, at1 TIMESTAMP(3), "
            "at2 TIMESTAMP(3), WATERMARK FOR at2 AS at2) WITH ('connector' = 'filesystem', "
            "'path' = '{folder}/clicks', 'format' = 'json');\n",
        ),
    ),
)
