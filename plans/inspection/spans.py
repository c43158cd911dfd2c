"""Where values stand in JSON text, so that one can be replaced and every other character kept.

The standard library's decoder does the reading; here is only the bookkeeping of places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def find(text: str, pointer: tuple[str | int, ...]) -> tuple[int, int]:
    """Start and end of the value at a path in valid JSON text. Raises KeyError where there is none."""
    start, end = _value(text, 1 if text.startswith("\ufeff") else 0)
    for part in pointer:
        places = [place for key, place in _children(text, start) if key == part]
        if not places:
            raise KeyError(part)
        # Of a key written twice the last value counts, as in every JSON reader in use.
        start, end = places[-1]
    return start, end


def _value(text: str, at: int) -> tuple[int, int]:
    start = _skip(text, at)
    return start, _DECODER.raw_decode(text, start)[1]


def _children(text: str, start: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
    """Key or index, and place, of each child of the object or list at `start`."""
    opening = text[start]
    if opening not in "{[":
        return
    at = _skip(text, start + 1)
    number = 0
    while text[at] not in "}]":
        key: str | int = number
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at) + 1
        place = _value(text, at)
        yield key, place
        number += 1
        at = _skip(text, place[1])
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def put(text: str, place: tuple[str | int, ...], key: str, value: str, *, after: str) -> str:
    """The text of valid JSON with a member in the object at `place`, replaced or added.

    Where there is no such object, it is added to its parent behind the member `after`.
    """
    member = f"{json.dumps(key)} : {value}"
    try:
        start, _ = find(text, place)
    except KeyError:
        _, end = find(text, (*place[:-1], after))
        return f"{text[:end]},\n    {json.dumps(place[-1])} : {{\n      {member}\n    }}{text[end:]}"
    members = dict(_children(text, start))
    if key in members:
        start, end = members[key]
        return text[:start] + value + text[end:]
    if not members:
        return f"{text[: start + 1]} {member} {text[start + 1 :]}"
    return f"{text[: start + 1]}\n      {member},{text[start + 1 :]}"
