"""Changes of interval joins, temporal joins and MATCH_RECOGNIZE, and of temporal sorts."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import TABLES, Elsewhere, Kind

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
RESTORED, REFUSED, WRONG = Elsewhere.RESTORED, Elsewhere.REFUSED, Elsewhere.WRONG
EMPTY, ABSENT, UNDEFINED = Elsewhere.EMPTY, Elsewhere.ABSENT, Elsewhere.UNDEFINED

_UPSERTS = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
_TWO = (_UPSERTS, _UPSERTS)


def near(columns: str, minutes: int = 10, kind: str = "JOIN", key: str = "v.shop", time: str = "c.at1") -> str:
    """Visits within some minutes of a click."""
    return (
        f"SELECT c.shop, {columns} FROM clicks AS c {kind} visits AS v ON c.shop = {key} AND v.at1 BETWEEN "
        f"{time} - INTERVAL '{minutes}' MINUTE AND {time} + INTERVAL '{minutes}' MINUTE"
    )


def rated(columns: str, key: str = "c.shop", kind: str = "JOIN") -> str:
    """Clicks with the rate at their time."""
    return f"SELECT c.shop, {columns} FROM clicks AS c {kind} rates FOR SYSTEM_TIME AS OF c.at1 AS r ON {key} = r.shop"


def rising(pattern: str = "A B", define: str = "B.price > A.price", measure: str = "B.price") -> str:
    """A price after a lower one."""
    return (
        "SELECT shop, n FROM clicks MATCH_RECOGNIZE (PARTITION BY shop ORDER BY at1 "
        f"MEASURES {measure} AS n ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN ({pattern}) "
        f"DEFINE B AS {define})"
    )


_BY_AT2 = TABLES["clicks"].replace("FOR at1 AS at1", "FOR at2 AS at2")
_NULL = "CAST(NULL AS INT)"

KINDS = (
    Kind(
        "narrower-interval",
        "narrower bounds of an interval join",
        near("price", 10),
        near("price", 4),
        FULL,
        RESTORED,
        UNDEFINED,
        note="rows that came out before stay",
        plan=PARTIAL,
        names="sink",
        result=[("x", 3), ("y", 5), ("y", 50), ("z", 9)],
        covered_by="wider-interval",
    ),
    Kind(
        "wider-interval",
        "wider bounds of an interval join",
        near("price", 4),
        near("price", 10),
        PARTIAL,
        WRONG,
        UNDEFINED,
        names="bounds",
        note="rows that were too old for the narrow bounds are gone",
        result=[("x", 100), ("x", 3), ("y", 7), ("z", 9)],
    ),
    Kind(
        "interval-inner-to-left",
        "an interval join becomes an outer one",
        near("price", 1),
        near("price", 1, kind="LEFT JOIN"),
        PARTIAL,
        WRONG,
        REFUSED,
        names="join type",
        note="rows from before that met nothing do not come out",
        result=[("x", 100), ("y", 50), ("y", 7), ("z", 9)],
        covered_by="wider-interval",
    ),
    Kind(
        "column-of-an-interval-join-dropped",
        "a column of an interval join is dropped",
        near("price, guests"),
        near(f"price, {_NULL}"),
        FULL,
        REFUSED,
        REFUSED,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        result=[("x", 100, None), ("x", 3, 1), ("y", 5, 2), ("y", 50, 2), ("y", 7, None), ("z", 9, None)],
    ),
    Kind(
        "another-key-of-an-interval-join",
        "another key of an interval join",
        near("price, pieces")
        .replace("c.shop, price", "c.shop, c.price")
        .replace("ON c.shop = v.shop", "ON c.price = v.guests"),
        near("price, pieces")
        .replace("c.shop, price", "c.shop, c.price")
        .replace("ON c.shop = v.shop", "ON c.pieces = v.kids"),
        INCOMPATIBLE,
        WRONG,
        UNDEFINED,
        sink="wide",
        names="key",
    ),
    Kind(
        "another-time-of-an-interval-join",
        "another column of time of an interval join",
        near("price"),
        near("price", time="c.at2"),
        INCOMPATIBLE,
        WRONG,
        UNDEFINED,
        names="times",
        tables=("", _BY_AT2),
        says="times: checkpoint has clicks.at1, plan has clicks.at2",
        wrong=[("x", 100), ("x", 3), ("y", 5), ("y", 50), ("y", 7), ("z", 9)],
    ),
    Kind(
        "column-of-a-temporal-join-dropped",
        "a column of a temporal join is dropped",
        rated("price * rate, fee"),
        rated("price * rate, CAST(0 AS INT)"),
        FULL,
        REFUSED,
        ABSENT,
        sink="wide",
        tables=_TWO,
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        result=[("x", 6, 1), ("x", 600, 0), ("y", 15, 2), ("y", 150, 2), ("y", 35, 0)],
        covered_by="column-of-a-version-added",
    ),
    Kind(
        "column-of-a-version-added",
        "a column more of the versions that are joined",
        rated(f"price * rate, {_NULL}"),
        rated("price * rate, fee"),
        PARTIAL,
        REFUSED,
        ABSENT,
        sink="wide",
        names="columns",
        note="versions from before have no value there",
        tables=_TWO,
        result=[("x", 6, None), ("x", 600, 7), ("y", 15, None), ("y", 150, None), ("y", 35, 8)],
    ),
    Kind(
        "another-key-of-a-temporal-join",
        "another key of a temporal join",
        rated("rate"),
        rated("rate", key="c.town"),
        INCOMPATIBLE,
        REFUSED,
        ABSENT,
        names="key",
        tables=_TWO,
    ),
    Kind(
        "temporal-inner-to-left",
        "a temporal join becomes an outer one",
        rated("rate", key="c.town"),
        rated("rate", key="c.town", kind="LEFT JOIN"),
        PARTIAL,
        WRONG,
        ABSENT,
        names="join type",
        note="rows from before that met nothing do not come out",
        tables=_TWO,
        result=[("x", None), ("y", None), ("z", None)],
        covered_by="column-of-a-version-added",
    ),
    Kind(
        "another-pattern",
        "another PATTERN",
        rising(),
        rising("A C B").replace("DEFINE B", "DEFINE C AS C.price > 3, B"),
        INCOMPATIBLE,
        UNDEFINED,
        ABSENT,
        names="pattern",
    ),
    Kind(
        "another-definition-of-a-pattern",
        "another DEFINE of a pattern",
        rising(),
        rising(define="B.price > A.price * 2"),
        INCOMPATIBLE,
        WRONG,
        ABSENT,
        names="definitions",
    ),
    Kind(
        "another-measure-of-a-pattern",
        "another MEASURES of a pattern",
        rising(),
        rising(measure="B.pieces"),
        FULL,
        RESTORED,
        ABSENT,
        plan=PARTIAL,
        names="sink",
        note="matches that came out before stay",
        result=[("x", 1000), ("y", 50)],
    ),
    Kind(
        "another-order-of-sorted-rows",
        "another order of rows of one time",
        "SELECT shop, price FROM clicks ORDER BY at1, price",
        "SELECT shop, price FROM clicks ORDER BY at1, price DESC",
        FULL,
        RESTORED,
        ABSENT,
        plan=PARTIAL,
        names="sink",
        note="rows that came out before are in the old order",
    ),
    Kind(
        "column-of-sorted-rows-dropped",
        "a column of rows that are sorted by time is dropped",
        "SELECT shop, price, pieces FROM clicks ORDER BY at1",
        f"SELECT shop, price, {_NULL} FROM clicks ORDER BY at1",
        FULL,
        REFUSED,
        ABSENT,
        sink="wide",
        plan=PARTIAL,
        names="wide",
        note="rows that the sink was given keep the old column",
        result=[("x", 100, None), ("x", 3, 10), ("y", 5, 20), ("y", 50, 2), ("y", 7, None), ("z", 9, None)],
    ),
)
