"""A kind of change, and the tables that all kinds read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.inspection.judging.verdicts import Verdict

Row = dict[str, Any]
#: In front of a retracted row that a sink never received.
TAKEN = "taken back"
Rows = Sequence[tuple[Any, ...]]


class Elsewhere(Enum):
    """Verdict of another product on a change."""

    RESTORED = "restored"
    REFUSED = "refused"
    WRONG = "silently wrong"
    EMPTY = "starts empty"
    UNDEFINED = "undefined"
    ABSENT = "-"


@dataclass(frozen=True)
class Kind:
    """A kind of program change, with the verdict on the old program's state.

    Args:
        name: identifies the test.
        change: a short description for users.
        old: a query whose rows go to a sink; several statements if it begins with INSERT.
        new: the changed program.
        state: the worst verdict of the operators.
        flink: Flink's result for the new program's plan and a savepoint of the old one.
        spark: the result of an equivalent streaming query of Spark.
        plan: the overall verdict, if sinks and sources make it worse than that of the operators.
        names: the property that explains a verdict below full; a sink or a source if it is theirs.
        note: a remark for users, shown in the table.
        result: the final sink table, if it is not the new program's result over all data.
        says: the message of a start that accepts nothing: property, old and new value.
        wrong: the sink table after a start without comparison, for kinds that would then be silently
            wrong; with `says`.
        sink: the table that is written.
        tables: tables declared for the old program and for the new one, before or instead of the common ones.
        zones: the time zones of the old run and of the new one.
        partitions: shuffle partitions of the new run, if they differ from the old run's.
        hosts: the state hosts of the old run and of the new one.
        warm_up: whether operators that would start empty are filled from history.
        covered_by: a kind, or a test as `file::function`, that is not deep and moves state in the same way; this kind
            runs with `make test-deep`.
    """

    name: str
    change: str
    old: str
    new: str
    state: Verdict
    flink: Elsewhere
    spark: Elsewhere
    plan: Verdict | None = None
    names: str = ""
    note: str = ""
    result: Rows | None = None
    says: str = ""
    wrong: Rows | None = None
    sink: str = "sink"
    tables: tuple[str, str] = ("", "")
    zones: tuple[str, str] = ("UTC", "UTC")
    partitions: int | None = None
    hosts: tuple[str, str] = (TRANSFORM, TRANSFORM)
    warm_up: bool = False
    covered_by: str = ""

    @property
    def verdict(self) -> Verdict:
        """The overall verdict."""
        return self.plan or self.state

    @property
    def keyed(self) -> bool:
        """Return True for an upsert sink: its table is the last row of each key."""
        return self.sink in KEYED

    @property
    def needs_query(self) -> bool:
        """Return True if a query alone shows the kind: its partitions, its hosts, or its history."""
        return self.hosts != (TRANSFORM, TRANSFORM) or self.partitions is not None or self.warm_up

    @property
    def timed(self) -> bool:
        """Return True if rows have event times: such programs run on another clock."""
        return any(name in f"{self.old} {self.new}" for name in TIMED)


def table(name: str, columns: str, format: str = "json", more: str = "") -> str:
    """The declaration of a filesystem table below `{folder}`."""
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{{folder}}/{name}', "
        f"'format' = '{format}'{more});\n"
    )


def upserted(columns: str) -> str:
    """The declaration of `up`, whose primary key differs from the query's key; see `programs.compiled`."""
    return f"CREATE TABLE {UPSERTED} ({columns}) WITH ('connector' = 'blackhole');\n"


#: An upsert sink: no connector that stores its rows is one, so its plan gets files in place of `blackhole`.
UPSERTED = "up"
_KEYED = "k STRING, n BIGINT, m BIGINT, PRIMARY KEY (k) NOT ENFORCED"
#: By name; a kind's own declaration replaces one of these.
TABLES: Mapping[str, str] = {
    "sales": table("sales", "shop STRING, town STRING, price INT, pieces INT, p AS PROCTIME()"),
    "shops": table("shops", "shop STRING, rent INT, tax INT"),
    "stock": table("stock", "id INT, shop STRING, price INT, pieces INT", "debezium-json"),
    "devices": table("devices", "dev STRING, owner STRING, fw INT, PRIMARY KEY (dev) NOT ENFORCED", "debezium-json"),
    "clicks": table(
        "clicks",
        "shop STRING, town STRING, price INT, pieces INT, at1 TIMESTAMP(3), at2 TIMESTAMP(3), WATERMARK FOR at1 AS at1",
    ),
    "visits": table("visits", "shop STRING, guests INT, kids INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1"),
    "rates": table(
        "rates",
        "shop STRING, rate INT, fee INT, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1, PRIMARY KEY (shop) NOT ENFORCED",
        "debezium-json",
    ),
    "points": table("points", "id INT, seen TIMESTAMP_LTZ(3)"),
    "moments": table("moments", "id INT, seen TIMESTAMP_LTZ(3), WATERMARK FOR seen AS seen"),
    "sink": table("sink", "k STRING, n BIGINT", "debezium-json"),
    "other": table("other", "k STRING, n BIGINT", "debezium-json"),
    "wide": table("wide", "k STRING, n BIGINT, m BIGINT", "debezium-json"),
    "keyed": table("keyed", _KEYED, "debezium-json"),
}
#: Sinks with their first column as primary key.
KEYED = ("keyed",)
#: Tables whose rows have event times.
TIMED = ("clicks", "visits", "rates", "moments")


def _inserted(**row: Any) -> Row:
    return {"before": None, "after": row, "op": "c"}


def _deleted(**row: Any) -> Row:
    return {"before": row, "after": None, "op": "d"}


def _updated(old: Row, new: Row) -> Row:
    return {"before": old, "after": new, "op": "u"}


def _sale(shop: str, town: str, price: int, pieces: int) -> Row:
    return {"shop": shop, "town": town, "price": price, "pieces": pieces}


def _click(shop: str, town: str, price: int, pieces: int, at1: str, at2: str) -> Row:
    day = "2024-01-01 "
    return _sale(shop, town, price, pieces) | {"at1": f"{day}{at1}", "at2": f"{day}{at2}"}


def _visit(shop: str, guests: int, kids: int, at1: str) -> Row:
    return {"shop": shop, "guests": guests, "kids": kids, "at1": f"2024-01-01 {at1}"}


def _rate(shop: str, rate: int, fee: int, at1: str) -> Row:
    return _inserted(shop=shop, rate=rate, fee=fee, at1=f"2024-01-01 {at1}")


def _item(id: int, shop: str, price: int, pieces: int) -> Row:
    return {"id": id, "shop": shop, "price": price, "pieces": pieces}


#: Read before the change. Times end alike in all tables, and so do those of `SECOND`: programs that run
#: as one have one watermark.
FIRST: Mapping[str, Sequence[Row]] = {
    "sales": (_sale("x", "u", 3, 10), _sale("y", "u", 5, 20), _sale("y", "u", 50, 2), _sale("z", "v", 9, 1)),
    "shops": ({"shop": "x", "rent": 7, "tax": 1}, {"shop": "y", "rent": 8, "tax": 2}),
    "stock": tuple(_inserted(**row) for row in (_item(1, "x", 3, 10), _item(2, "y", 5, 20), _item(3, "y", 50, 2))),
    "devices": (
        _inserted(dev="d1", owner="ann", fw=1),
        _inserted(dev="d2", owner="bob", fw=5),
        _inserted(dev="d3", owner="cid", fw=7),
        _inserted(dev="d4", owner="zoe", fw=4),
    ),
    "clicks": (
        _click("x", "u", 3, 10, "10:00:00", "10:05:00"),
        _click("y", "u", 5, 20, "10:10:00", "12:12:00"),
        _click("y", "v", 50, 2, "10:20:00", "10:25:00"),
    ),
    "visits": (_visit("x", 1, 4, "10:02:00"), _visit("y", 2, 5, "10:15:00"), _visit("-", 9, 9, "10:20:00")),
    "rates": (
        _rate("x", 2, 1, "09:00:00"),
        _rate("y", 3, 2, "09:00:00"),
        _rate("x", 4, 5, "10:15:00"),
        _rate("-", 1, 1, "10:20:00"),
    ),
    "points": ({"id": 1, "seen": "2024-01-01 23:30:00Z"},),
    "moments": ({"id": 1, "seen": "2024-01-01 10:10:00Z"}, {"id": 2, "seen": "2024-01-01 10:20:00Z"}),
}
#: Read after the change: most keys come again.
SECOND: Mapping[str, Sequence[Row]] = {
    "sales": (_sale("x", "u", 100, 1000), _sale("y", "v", 7, 70), _sale("z", "v", 1, 4)),
    "shops": ({"shop": "z", "rent": 9, "tax": 3},),
    "stock": (
        _deleted(**_item(3, "y", 50, 2)),
        _updated(_item(1, "x", 3, 10), _item(1, "x", 4, 11)),
        _inserted(**_item(4, "z", 9, 1)),
    ),
    "devices": (
        _inserted(dev="d1", owner="ann", fw=2),
        _inserted(dev="d2", owner="dan", fw=6),
        _deleted(dev="d3", owner="cid", fw=7),
    ),
    "clicks": (
        _click("x", "u", 100, 1000, "10:40:00", "10:45:00"),
        _click("y", "v", 7, 70, "11:10:00", "11:15:00"),
        _click("z", "v", 9, 1, "12:30:00", "12:30:00"),
    ),
    "visits": (_visit("x", 3, 6, "10:45:00"), _visit("y", 4, 7, "11:05:00"), _visit("z", 5, 8, "12:30:00")),
    "rates": (_rate("x", 6, 7, "10:35:00"), _rate("y", 5, 8, "11:00:00"), _rate("w", 1, 1, "12:30:00")),
    "points": ({"id": 2, "seen": "2024-01-02 00:10:00Z"},),
    "moments": ({"id": 3, "seen": "2024-01-01 10:40:00Z"}, {"id": 4, "seen": "2024-01-01 12:30:00Z"}),
}
