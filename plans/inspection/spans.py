"""Positions of values in JSON text, for replacing one and keeping every other character.

The standard library's decoder parses; this module only tracks positions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def find(text: str, pointer: tuple[str | int, ...]) -> tuple[int, int]:
    """Start and end of the value at a path in valid JSON text. Raises KeyError if there is none."""
    start, end = _value(text, 1 if text.startswith("\ufeff") else 0)
    for part in pointer:
        places = [place for key, place in _children(text, start) if key == part]
        if not places:
            raise KeyError(part)
        # The last of duplicate keys counts, as in every JSON reader in use.
        start, end = places[-1]
    return start, end


def _value(text: str, at: int) -> tuple[int, int]:
    start = _skip(text, at)
    return start, _DECODER.raw_decode(text, start)[1]


def _children(text: str, start: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
    """Key or index, and position, of each child of the object or list at `start`."""
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
    match_ = _SPACE.match(text, at)
    return match_.end() if match_ else at


def put(text: str, place: tuple[str | int, ...], key: str, value: str, *, after: str) -> str:
    """Set a member of the object at `place` in valid JSON text.

    If the object does not exist, it is added to its parent behind the member `after`.
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


def remove(text: str, key: str) -> str:
    """Remove a member of the root object in valid JSON text; the text itself if there is none."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    members = list(_children(text, start))
    for number, (name, (_, end)) in reversed(list(enumerate(members))):
        if name == key and number > 0:
            text = text[: members[number - 1][1][1]] + text[end:]
        elif name == key:
            behind = _skip(text, end)
            end = _skip(text, behind + 1) if text[behind] == "," else end
            text = text[: _skip(text, start + 1)] + text[end:]
    return text
