"""Values in Flink's binary state, as a `DataOutputStream` writes them; and versioned values, such as splits."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from compiled_plan.plans.execution.state.flink.positions.errors import PositionError

#: Version and length of a versioned value.
_HEADER = struct.Struct(">ii")


def versioned(version: int, data: bytes) -> bytes:
    """A value behind its version and length."""
    return _HEADER.pack(version, len(data)) + data


def contents(elements: Sequence[bytes], expected: int) -> Iterator[bytes]:
    """Versioned values without their headers.

    Raises:
        PositionError: one is truncated, or has another version.
    """
    for element in elements:
        if len(element) < _HEADER.size:
            raise PositionError("the state of the source is truncated")
        version, length = _HEADER.unpack_from(element)
        if version != expected:
            raise PositionError(f"a split of version {version} is not known")
        yield element[_HEADER.size : _HEADER.size + length]


class Reader:
    """Reads values one after another.

    Raises:
        struct.error: the bytes end before a value.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return int(value)

    def bytes(self, length: int) -> bytes:
        (value,) = struct.unpack_from(f">{length}s", self.data, self.at)
        self.at += length
        return bytes(value)

    def utf(self) -> str:
        """A text behind its length in bytes."""
        return self.bytes(self.take("H")).decode()

    def text(self) -> str | None:
        """A text of Flink: letters and one more than their number, each in groups of 7 bits."""
        if not self.take("?"):
            return None
        letters = [self._number() for _ in range(self._number() - 1)]
        return struct.pack(f"<{len(letters)}H", *letters).decode("utf-16-le")

    def _number(self) -> int:
        value = shift = 0
        while (byte := self.take("B")) >= 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift
