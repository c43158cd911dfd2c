"""Random edits of a plan's JSON, like slips of an editor: repeatable by their seed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Json = Any
Place = tuple[str | int, ...]

_TYPES = (
    "INT",
    "INT NOT NULL",
    "BIGINT",
    "VARCHAR(2147483647)",
    "DOUBLE",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP(3)",
    "DECIMAL(10, 2)",
    "ARRAY<INT>",
    "ROW<`a` INT>",
    "MAP<VARCHAR(2147483647), INT>",
)
_TYPE_KEYS = frozenset(("type", "fieldType", "dataType", "timeAttributeType"))
_TEXTS = ("", "x", "0 ms", "3 s", "-1 s", "filesystem", "print", "json", "csv", "INNER", "LEFT", "FULL", "PT5M", "PT0S")
_NUMBERS = (-1, 0, 1, 2, 3, 7, 99, 2**31, 2**70)


@dataclass(frozen=True)
class Edit:
    """An edit of a plan: its kind, the place, and the new value."""

    kind: str
    place: Place
    value: Json = None

    def __str__(self) -> str:
        shown = json.dumps(self.value, default=str)
        return f"{self.kind} /{'/'.join(map(str, self.place))}" + ("" if self.value is None else f" = {shown[:80]}")


def edited(data: Json, draw: random.Random) -> tuple[Json, Edit]:
    """A copy of a plan with one edit."""
    edited = copy.deepcopy(data)
    while True:
        edit = draw.choice(_EDITS)(edited, draw)
        if edit is not None and edited != data:
            return edited, edit


def places(value: Json, at: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Every value within a JSON value, with its place."""
    if at:
        yield at, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key != "description":
            yield from places(item, (*at, key))


def _parent(data: Json, place: Place) -> Json:
    for part in place[:-1]:
        data = data[part]
    return data


def _set(kind: str, data: Json, place: Place, value: Json) -> Edit:
    _parent(data, place)[place[-1]] = value
    return Edit(kind, place, value)


def _some(data: Json, draw: random.Random, fits: Callable[[Place, Json], bool]) -> tuple[Place, Json] | None:
    candidates = [item for item in places(data) if fits(*item)]
    return draw.choice(candidates) if candidates else None


def _remove(data: Json, draw: random.Random) -> Edit | None:
    place, _ = draw.choice(list(places(data)))
    del _parent(data, place)[place[-1]]
    return Edit("remove", place)


def _item(data: Json, draw: random.Random) -> tuple[Place, Json] | None:
    return _some(data, draw, lambda place, value: isinstance(place[-1], int))


def _remove_item(data: Json, draw: random.Random) -> Edit | None:
    target = _item(data, draw)
    if target is None:
        return None
    del _parent(data, target[0])[target[0][-1]]
    return Edit("remove item", target[0])


def _double(data: Json, draw: random.Random) -> Edit | None:
    target = _item(data, draw)
    if target is None:
        return None
    place, value = target
    _parent(data, place).insert(place[-1], copy.deepcopy(value))
    return Edit("double item", place)


def _swap(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: isinstance(value, list) and len(value) > 1)
    if target is None:
        return None
    place, items = target
    first, second = draw.sample(range(len(items)), 2)
    items[first], items[second] = items[second], items[first]
    return Edit("swap items", (*place, first, second))


def _number(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: type(value) is int)
    if target is None:
        return None
    place, value = target
    return _set("number", data, place, draw.choice((*_NUMBERS, value + 1, value - 1)))


def _flag(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: isinstance(value, bool))
    return None if target is None else _set("flag", data, target[0], not target[1])


def _text(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: isinstance(value, str) and place[-1] not in _TYPE_KEYS)
    if target is None:
        return None
    place, value = target
    others = [item for _, item in places(data) if isinstance(item, str)]
    return _set("text", data, place, draw.choice((*_TEXTS, value + "x", value[:-1], draw.choice(others))))


def _type(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: place[-1] in _TYPE_KEYS)
    if target is None:
        return None
    others = [item for place, item in places(data) if place[-1] in _TYPE_KEYS]
    return _set("type", data, target[0], copy.deepcopy(draw.choice((*_TYPES, draw.choice(others)))))


def _paste(data: Json, draw: random.Random) -> Edit | None:
    """Copy a value from another place with the same name: an expression, a call, a list of keys."""
    target = _some(data, draw, lambda place, value: isinstance(value, dict | list))
    if target is None:
        return None
    place, _ = target
    kind = place[-1] if isinstance(place[-1], str) else place[-2] if len(place) > 1 else ""
    others = [item for at, item in places(data) if at[-1] == kind or (isinstance(at[-1], int) and at[-2:-1] == (kind,))]
    return _set("paste", data, place, copy.deepcopy(draw.choice(others))) if others else None


def _empty(data: Json, draw: random.Random) -> Edit | None:
    place, _ = draw.choice(list(places(data)))
    return _set("empty", data, place, copy.deepcopy(draw.choice((None, [], {}, "", 0))))


def _reference(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: place[-1] in ("inputIndex", "index", "source", "target"))
    return None if target is None else _set("reference", data, target[0], draw.randrange(8))


def _inputs(data: Json, draw: random.Random) -> Edit | None:
    """Swap the sources of two edges, as if two inputs of a node were confused."""
    edges = data["edges"]
    if len(edges) < 2:
        return None
    first, second = draw.sample(range(len(edges)), 2)
    end = draw.choice(("source", "target"))
    edges[first][end], edges[second][end] = edges[second][end], edges[first][end]
    return Edit("swap inputs", ("edges", first, second, end))


def _option(data: Json, draw: random.Random) -> Edit | None:
    target = _some(data, draw, lambda place, value: place[-1] == "options" and isinstance(value, dict) and bool(value))
    if target is None:
        return None
    place, options = target
    key = draw.choice(list(options))
    del options[key]
    return Edit("remove option", (*place, key))


_EDITS: tuple[Callable[[Json, random.Random], Edit | None], ...] = (
    _remove,
    _remove_item,
    _remove_item,
    _double,
    _swap,
    _number,
    _number,
    _flag,
    _text,
    _type,
    _type,
    _paste,
    _paste,
    _empty,
    _reference,
    _inputs,
    _option,
)
