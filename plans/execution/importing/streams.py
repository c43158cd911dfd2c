"""Values in Flink's binary state, as a `DataOutputStream` writes them."""

from __future__ import annotations

import struct


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
