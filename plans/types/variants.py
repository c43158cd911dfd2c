"""Values of VARIANT in Python: the length of the metadata, the metadata and the value in Spark's encoding.

Source: the variant encoding specification of Apache Parquet. Values come from JSON, so that dates and the like are
absent.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

_PRIMITIVE, _SHORT, _OBJECT, _ARRAY = range(4)
_INTEGERS = {3: "<b", 4: "<h", 5: "<i", 6: "<q"}
#: The length of the unscaled number of a DECIMAL.
_DECIMALS = {8: 4, 9: 8, 10: 16}
_DOUBLE, _TEXT = 7, 16


def read(data: bytes) -> object:
    """The value as Python objects: dict, list, str, int, Decimal, float, bool or None.

    Raises:
        ValueError: a value that JSON has not.
    """
    size = int.from_bytes(data[:4], "big")
    return _Reader(_names(data[4 : 4 + size]), data[4 + size :]).value(0)


def text(data: bytes, number: Callable[[float], str] = repr) -> str:
    """The value as JSON without white space; `number` writes a DOUBLE."""
    return _json(read(data), number)


def _json(value: object, number: Callable[[float], str]) -> str:
    match value:
        case dict():
            fields = (f"{json.dumps(name, ensure_ascii=False)}:{_json(part, number)}" for name, part in value.items())
            return "{" + ",".join(fields) + "}"
        case list():
            return "[" + ",".join(_json(part, number) for part in value) + "]"
        case float():
            return number(value)
        case Decimal():
            whole = value.normalize() if value else Decimal(0)
            return format(whole, "f")
    return json.dumps(value, ensure_ascii=False)


def _names(data: bytes) -> list[str]:
    """The dictionary of field names."""
    width = (data[0] >> 6) + 1
    count = int.from_bytes(data[1 : 1 + width], "little")
    offsets = [int.from_bytes(data[1 + width * at : 1 + width * (at + 1)], "little") for at in range(1, count + 2)]
    start = 1 + width * (count + 2)
    return [data[start + first : start + last].decode() for first, last in pairwise(offsets)]


class _Reader:
    """Reads the value at a position."""

    def __init__(self, names: list[str], data: bytes) -> None:
        self.names, self.data = names, data

    def value(self, at: int) -> Any:
        kind, info = self.data[at] & 3, self.data[at] >> 2
        if kind == _SHORT:
            return self.data[at + 1 : at + 1 + info].decode()
        if kind == _OBJECT:
            return dict(self._fields(at, info))
        if kind == _ARRAY:
            return list(self._elements(at, info))
        return self._primitive(at + 1, info)

    def _primitive(self, at: int, info: int) -> object:
        if info < 3:
            return None if info == 0 else info == 1
        if info in _INTEGERS:
            return struct.unpack_from(_INTEGERS[info], self.data, at)[0]
        if info == _DOUBLE:
            return struct.unpack_from("<d", self.data, at)[0]
        if info in _DECIMALS:
            unscaled = int.from_bytes(self.data[at + 1 : at + 1 + _DECIMALS[info]], "little", signed=True)
            return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -self.data[at]))
        if info == _TEXT:
            return self.data[at + 4 : at + 4 + self._number(at, 4)].decode()
        raise ValueError(f"a VARIANT holds a value of type {info}, which JSON has not")

    def _fields(self, at: int, info: int) -> Iterator[tuple[str, Any]]:
        wide, id_width, width = 4 if info >> 4 & 1 else 1, (info >> 2 & 3) + 1, (info & 3) + 1
        count, ids = self._number(at + 1, wide), at + 1 + wide
        offsets = ids + count * id_width
        values = offsets + (count + 1) * width
        for index in range(count):
            name = self.names[self._number(ids + index * id_width, id_width)]
            yield name, self.value(values + self._number(offsets + index * width, width))

    def _elements(self, at: int, info: int) -> Iterator[object]:
        wide, width = 4 if info >> 2 & 1 else 1, (info & 3) + 1
        count, offsets = self._number(at + 1, wide), at + 1 + wide
        values = offsets + (count + 1) * width
        for index in range(count):
            yield self.value(values + self._number(offsets + index * width, width))

    def _number(self, at: int, width: int) -> int:
        return int.from_bytes(self.data[at : at + width], "little")
