"""Random rows of all tables, in two parts: those that are read before the program changes, and those after.

A row says which part it belongs to (`half`), also when it retracts an earlier one. Some keys appear in the second
part only (`FRESH`), and their rows share no other key with rows of the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]
_START = datetime(2024, 1, 1, 10)
_MINUTES = 180
_SHOPS, _TOWNS, _DEVICES, _OWNERS = "xyzw", "uvt", ("d0", "d1", "d2", "d3", "d4", "d5"), ("ann", "bob", "cid")
_LATER_SHOPS, _LATER_TOWNS, _LATER_DEVICES = "qr", "s", ("d6", "d7")
#: Keys of rows of the second part only: shops, towns, devices.
FRESH = frozenset((*_LATER_SHOPS, *_LATER_TOWNS, *_LATER_DEVICES))


def halves(draw: Random) -> tuple[Tables, Tables]:
    """Rows before and after a point in the middle of the input, for events the same time in all tables."""
    share = draw.uniform(0.2, 0.8)
    first: Tables = {}
    second: Tables = {}
    for name, count, generate in (
        ("sales", 24, _sales),
        ("stock", 24, _changes),
        ("shops", 6, _shops),
        ("devices", 20, _upserts),
    ):
        at = round(count * share)
        events = list(generate(draw, count, at))
        first[name], second[name] = events[:at], events[at:]
    moment = _time(_MINUTES * share)
    for name, rows in (
        ("clicks", [_sale(draw, time > moment) | {"at1": time, "at2": time} for time in _times(draw, 24)]),
        ("visits", [_visit(draw, time, time > moment) for time in _times(draw, 16)]),
        ("rates", [_rate(draw, time, time > moment) for time in _times(draw, 12)]),
    ):
        # All tables end at one time in each half: the slowest table holds the watermark of all.
        first[name] = [*(row for row in rows if _at(row) <= moment), _last(rows[0], moment)]
        second[name] = [*(row for row in rows if _at(row) > moment), _last(rows[0], _time(_MINUTES + 600))]
    return _marked(first, 0), _marked(second, 1)


def _marked(tables: Tables, half: int) -> Tables:
    return {name: [_with_half(row, half) for row in rows] for name, rows in tables.items()}


def _with_half(row: Row, half: int) -> Row:
    if "op" not in row:
        return row | {"half": half}
    return row | {side: row[side] and row[side] | {"half": half} for side in ("before", "after")}


def _last(row: Row, time: str) -> Row:
    """A row with a key of its own."""
    if "op" in row:
        return row | {"after": _last(row["after"], time)}
    return row | {"shop": "-", "at1": time} | ({"town": "-"} if "town" in row else {})


def _is_fresh(draw: Random, later: bool) -> bool:
    return later and draw.random() < 0.25


def _number(draw: Random) -> int:
    return draw.randrange(1, 100)


def _shop(draw: Random, later: bool) -> str:
    return draw.choice(_LATER_SHOPS if _is_fresh(draw, later) else _SHOPS)


def _sale(draw: Random, later: bool) -> Row:
    fresh = _is_fresh(draw, later)
    # Few prices are equal: ties are decided by arrival.
    return {
        "shop": draw.choice(_LATER_SHOPS if fresh else _SHOPS),
        "town": draw.choice(_LATER_TOWNS if fresh else _TOWNS),
        "price": draw.randrange(1, 10_000),
        "pieces": _number(draw),
    }


def _sales(draw: Random, count: int, stop: int) -> Iterator[Row]:
    for at in range(count):
        yield _sale(draw, at >= stop)


def _shops(draw: Random, count: int, stop: int) -> Iterator[Row]:
    for at in range(count):
        yield {"shop": _shop(draw, at >= stop), "rent": _number(draw), "tax": _number(draw)}


def _visit(draw: Random, time: str, later: bool) -> Row:
    return {"shop": _shop(draw, later), "guests": _number(draw), "kids": _number(draw), "at1": time}


def _rate(draw: Random, time: str, later: bool) -> Row:
    row = {"shop": _shop(draw, later), "rate": _number(draw), "fee": _number(draw), "at1": time}
    return {"before": None, "after": row, "op": "c"}


def _changes(draw: Random, count: int, stop: int) -> Iterator[Row]:
    """Inserted, updated and deleted rows."""
    live: list[Row] = []
    for number in range(count):
        what = draw.random()
        if what < 0.55 or not live:
            row = {"id": number, **_sale(draw, number >= stop)}
            live.append(row)
            yield {"before": None, "after": row, "op": "c"}
            continue
        old = live.pop(draw.randrange(len(live)))
        if what < 0.8:
            row = {"id": old["id"], **_sale(draw, number >= stop)}
            live.append(row)
            yield {"before": old, "after": row, "op": "u"}
        else:
            yield {"before": old, "after": None, "op": "d"}


def _upserts(draw: Random, count: int, stop: int) -> Iterator[Row]:
    """The last row of each key counts."""
    for at in range(count):
        name = draw.choice(_LATER_DEVICES if _is_fresh(draw, at >= stop) else _DEVICES)
        row = {"dev": name, "owner": draw.choice(_OWNERS), "fw": _number(draw), "age": _number(draw)}
        gone = draw.random() < 0.15
        yield {"before": row if gone else None, "after": None if gone else row, "op": "d" if gone else "c"}


def _times(draw: Random, count: int) -> list[str]:
    """Times, most of them in order: some rows are late."""
    minutes = sorted(draw.uniform(0, _MINUTES) for _ in range(count))
    for at in range(1, count):
        if draw.random() < 0.1:
            minutes[at - 1], minutes[at] = minutes[at], minutes[at - 1]
    return [_time(minute) for minute in minutes]


def _time(minutes: float) -> str:
    return (_START + timedelta(minutes=minutes)).isoformat(sep=" ", timespec="milliseconds")


def _at(row: Row) -> str:
    return str((row.get("after") or row)["at1"])
