"""Positions of values in JSON text: to replace one and keep every other character, and to show faults.

The standard library's decoder parses; this module only tracks positions.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")

#: Path of a value: keys of objects and indexes of lists.
Path = tuple[str | int, ...]


class _Member(NamedTuple):
    """A child of an object or list: its key or index, and where that (in a list, the value) and the value start."""

    key: str | int
    start: int
    value: int


def pointer_of(parts: Iterable[str | int]) -> str:
    """Build a JSON pointer from its parts."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def parts_of(pointer: str) -> tuple[str, ...]:
    """The parts of a JSON pointer."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def find(text: str, path: Path) -> tuple[int, int]:
    """Start and end of the value at a path in valid JSON text. Raises KeyError if there is none."""
    start = _root(text)
    for part in path:
        starts = [member.value for member in _members(text, start) if member.key == part]
        if not starts:
            raise KeyError(part)
        start = starts[0]
    return start, _end(text, start)


def nearest(text: str, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Start and end of the member at each JSON pointer in valid JSON text, or of its nearest parent that exists.

    A member ends with its value, or with the opening bracket of an object or list.
    """
    places: dict[str, tuple[int, int]] = {}
    todo = [(_root(text), _root(text), [(pointer, pointer.split("/")[1:]) for pointer in pointers])]
    while todo:
        start, value, inside = todo.pop()
        by_part = defaultdict(list)
        for pointer, parts in inside:
            places[pointer] = start, value + 1 if text[value] in "{[" else _end(text, value)
            if parts:
                by_part[parts[0]].append((pointer, parts[1:]))
        if by_part:
            for member in _members(text, value):
                if deeper := by_part.get(pointer_of((member.key,))[1:]):
                    todo.append((member.start, member.value, deeper))
    return places


def innermost(text: str, position: int) -> tuple[Path, list[int]]:
    """The path of the innermost value where JSON text cannot be parsed, and the starts of the brackets open there."""
    path: list[str | int] = []
    brackets: list[int] = []
    start: int | None = _root(text)
    while start is not None and start < position and text[start] in "{[":
        brackets.append(start)
        last = None
        with contextlib.suppress(ValueError, IndexError):
            for member in _members(text, start):
                if member.start > position:
                    break
                last = member
        start = None
        if last is not None and not _ends_before(text, last.value, position):
            path.append(last.key)
            start = last.value
    return tuple(path), brackets


def _ends_before(text: str, start: int, position: int) -> bool:
    try:
        return _end(text, start) <= position
    except ValueError:
        return False


def repeated_key(text: str) -> tuple[Path, int, int] | None:
    """The first member whose key its object has twice, in valid JSON text: its path, and the starts of both keys."""
    todo: list[tuple[Path, int]] = [((), _root(text))]
    while todo:
        path, start = todo.pop()
        starts: dict[str | int, int] = {}
        inside = []
        for key, place, value in _members(text, start):
            if key in starts:
                return (*path, key), starts[key], place
            starts[key] = place
            if text[value] in "{[":
                inside.append(((*path, key), value))
        todo += reversed(inside)
    return None


def _root(text: str) -> int:
    return _skip(text, 1 if text.startswith("\ufeff") else 0)


def _end(text: str, start: int) -> int:
    return _DECODER.raw_decode(text, start)[1]


def _members(text: str, start: int) -> Iterator[_Member]:
    """The children of the object or list at `start`; each is parsed when the next one is asked for."""
    opening = text[start]
    if opening not in "{[":
        return
    at = _skip(text, start + 1)
    number = 0
    while text[at] not in "}]":
        key: str | int = number
        place = at
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield _Member(key, place, at)
        number += 1
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match_ = _SPACE.match(text, at)
    return match_.end() if match_ else at


def put(text: str, place: Path, key: str, value: str, *, after: str) -> str:
    """Set a member of the object at `place` in valid JSON text.

    If the object does not exist, it is added to its parent behind the member `after`.
    """
    member = f"{json.dumps(key)} : {value}"
    try:
        start, _ = find(text, place)
    except KeyError:
        return add(text, place, f"{{\n      {member}\n    }}", after=after)
    members = {member.key: member.value for member in _members(text, start)}
    if key in members:
        return text[: members[key]] + value + text[_end(text, members[key]) :]
    if not members:
        return f"{text[: start + 1]} {member} {text[start + 1 :]}"
    return f"{text[: start + 1]}\n      {member},{text[start + 1 :]}"


def add(text: str, place: Path, value: str, *, after: str) -> str:
    """Add the member at `place` to its object in valid JSON text, behind the member `after`."""
    _, end = find(text, (*place[:-1], after))
    return f"{text[:end]},\n    {json.dumps(place[-1])} : {value}{text[end:]}"


def remove(text: str, key: str) -> str:
    """Remove a member of the root object in valid JSON text; the text itself if there is none."""
    start = _root(text)
    members = [(member.key, _end(text, member.value)) for member in _members(text, start)]
    for number, (name, end) in enumerate(members):
        if name == key and number > 0:
            return text[: members[number - 1][1]] + text[end:]
        if name == key:
            behind = _skip(text, end)
            end = _skip(text, behind + 1) if text[behind] == "," else end
            return text[: _skip(text, start + 1)] + text[end:]
    return text
