"""Random rows of all tables, in two parts: those that are read before the program changes, and those after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]
_START = datetime(2024, 1, 1, 10)
_MINUTES = 180
_SHOPS, _TOWNS, _OWNERS = "xyzw", "uvt", ("ann", "bob", "cid")


def halves(draw: Random) -> tuple[Tables, Tables]:
    """Rows before and after a moment in the middle of the input, for events the same moment of all tables."""
    share = draw.uniform(0.2, 0.8)
    first: Tables = {}
    second: Tables = {}
    for name, rows in (
        ("sales", [_sale(draw) for _ in range(24)]),
        ("stock", list(_changes(draw, 24))),
        ("shops", [{"shop": draw.choice(_SHOPS), "rent": _number(draw), "tax": _number(draw)} for _ in range(6)]),
        ("devices", list(_upserts(draw, 20))),
    ):
        at = round(len(rows) * share)
        first[name], second[name] = rows[:at], rows[at:]
    moment = _time(_MINUTES * share)
    for name, rows in (
        ("clicks", [_sale(draw) | {"at1": time, "at2": time} for time in _times(draw, 24)]),
        ("visits", [_visit(draw, time) for time in _times(draw, 16)]),
        ("rates", [_rate(draw, time) for time in _times(draw, 12)]),
    ):
        # The last row moves the watermark past everything that is due.
        last = {"at1": _time(_MINUTES + 600)}
        end = _rate(draw, last["at1"]) if name == "rates" else rows[-1] | last
        at = next((at for at, row in enumerate(rows) if _at(row) > moment), len(rows))
        first[name], second[name] = rows[:at], [*rows[at:], end]
    return first, second


def _number(draw: Random) -> int:
    return draw.randrange(1, 100)


def _sale(draw: Random) -> Row:
    # Few prices are equal: where they are, arrival decides.
    return {
        "shop": draw.choice(_SHOPS),
        "town": draw.choice(_TOWNS),
        "price": draw.randrange(1, 10_000),
        "pieces": _number(draw),
    }


def _visit(draw: Random, time: str) -> Row:
    return {"shop": draw.choice(_SHOPS), "guests": _number(draw), "kids": _number(draw), "at1": time}


def _rate(draw: Random, time: str) -> Row:
    row = {"shop": draw.choice(_SHOPS), "rate": _number(draw), "fee": _number(draw), "at1": time}
    return {"before": None, "after": row, "op": "c"}


def _changes(draw: Random, count: int) -> Iterator[Row]:
    """Rows that come, change and go."""
    live: list[Row] = []
    for number in range(count):
        what = draw.random()
        if what < 0.55 or not live:
            row = {"id": number, **_sale(draw)}
            live.append(row)
            yield {"before": None, "after": row, "op": "c"}
            continue
        old = live.pop(draw.randrange(len(live)))
        if what < 0.8:
            row = {"id": old["id"], **_sale(draw)}
            live.append(row)
            yield {"before": old, "after": row, "op": "u"}
        else:
            yield {"before": old, "after": None, "op": "d"}


def _upserts(draw: Random, count: int) -> Iterator[Row]:
    """The last row of each key counts."""
    for _ in range(count):
        row = {"dev": f"d{draw.randrange(6)}", "owner": draw.choice(_OWNERS), "fw": _number(draw), "age": _number(draw)}
        gone = draw.random() < 0.15
        yield {"before": row if gone else None, "after": None if gone else row, "op": "d" if gone else "c"}


def _times(draw: Random, count: int) -> list[str]:
    """Moments, most of them in order: some rows are late."""
    minutes = sorted(draw.uniform(0, _MINUTES) for _ in range(count))
    for at in range(1, count):
        if draw.random() < 0.1:
            minutes[at - 1], minutes[at] = minutes[at], minutes[at - 1]
    return [_time(each) for each in minutes]


def _time(minutes: float) -> str:
    return (_START + timedelta(minutes=minutes)).isoformat(sep=" ", timespec="milliseconds")


def _at(row: Row) -> str:
    return str(row.get("after", row)["at1"])
