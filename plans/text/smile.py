"""Smile, the binary form of JSON in which Flink can write a plan.

Source: the specification of Smile 1.0.4, https://github.com/FasterXML/smile-format-specification. The writer uses no
back references, which the header says; the reader accepts all that Jackson writes for JSON, but neither binary data nor
numbers of the class BigDecimal, which plans do not have.
"""

from __future__ import annotations

import struct
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text import jsontext

_HEADER = b":)\n"
_SHARED_NAMES, _SHARED_VALUES = 1, 2
#: Number of names or values after which the table of back references begins anew.
_REFERENCES = 1024
#: Length in bytes of the longest text that can be referred to.
_SHARED_LENGTH = 64
_END = b"\xfc"


@deeply
def encode(value: object) -> bytes:
    """The bytes of a value of JSON: objects, lists, texts, integers of 64 bits, floats, truth values and null.

    Raises:
        NestingError: the value is nested too deeply.
    """
    out = bytearray(_HEADER + b"\x00")
    _write(out, value)
    return bytes(out)


def _write(out: bytearray, value: object) -> None:
    if isinstance(value, dict):
        out += b"\xfa"
        for name, content in value.items():
            _write_name(out, name.encode())
            _write(out, content)
        out += b"\xfb"
    elif isinstance(value, list):
        out += b"\xf8"
        for content in value:
            _write(out, content)
        out += b"\xf9"
    else:
        _write_scalar(out, value)


def _write_scalar(out: bytearray, value: object) -> None:
    if value is None:
        out += b"\x21"
    elif isinstance(value, bool):
        out += b"\x23" if value else b"\x22"
    elif isinstance(value, int):
        _write_integer(out, value)
    elif isinstance(value, float):
        (bits,) = struct.unpack(">Q", struct.pack(">d", value))
        out += b"\x29" + bytes(bits >> shift & 0x7F for shift in range(63, -1, -7))
    else:
        _write_text(out, str(value).encode())


def _write_integer(out: bytearray, value: int) -> None:
    zigzag = value << 1 if value >= 0 else (-value << 1) - 1
    if zigzag < 32:
        out.append(0xC0 + zigzag)
        return
    out += b"\x24" if -(2**31) <= value < 2**31 else b"\x25"
    last, rest = zigzag & 0x3F, zigzag >> 6
    groups = []
    while rest:
        groups.append(rest & 0x7F)
        rest >>= 7
    out += bytes([*reversed(groups), last | 0x80])


def _write_text(out: bytearray, text: bytes) -> None:
    size, ascii_text = len(text), text.isascii()
    if not size:
        out += b"\x20"
    elif ascii_text and size <= 64:
        out.append(0x40 + size - 1)
        out += text
    elif not ascii_text and size <= 65:
        out.append(0x80 + size - 2)
        out += text
    else:
        out += (b"\xe0" if ascii_text else b"\xe4") + text + _END


def _write_name(out: bytearray, name: bytes) -> None:
    size = len(name)
    if not size:
        out += b"\x20"
    elif name.isascii() and size <= 64:
        out.append(0x80 + size - 1)
        out += name
    elif not name.isascii() and size <= 57:
        out.append(0xC0 + size - 2)
        out += name
    else:
        out += b"\x34" + name + _END


def decode(data: bytes) -> object:
    """The value of JSON in bytes of Smile.

    Raises:
        PlanError: no Smile, or cut off.
    """
    if not data.startswith(_HEADER) or len(data) < len(_HEADER) + 2:
        raise PlanError("the bytes are no plan in Smile", where="Smile", remedy="give the bytes of as_smile_bytes()")
    reader = _Reader(data)
    try:
        return reader.value()
    except (IndexError, ValueError, struct.error):
        raise PlanError(
            f"the plan in Smile is damaged near byte {reader.at}",
            where="Smile",
            remedy="give all bytes of as_smile_bytes(), unchanged",
        ) from None


class _Reader:
    """Position in the bytes, and the names and values that later ones refer to."""

    def __init__(self, data: bytes) -> None:
        flags = data[len(_HEADER)]
        self._data, self.at = data, len(_HEADER) + 1
        self._names: list[str] | None = [] if flags & _SHARED_NAMES else None
        self._values: list[str] | None = [] if flags & _SHARED_VALUES else None

    def value(self) -> Any:
        # Open objects and lists, innermost last; a stack, as the depth of foreign bytes has no bound.
        stack: list[tuple[Any, str | None]] = []
        container: Any = None
        while True:
            name = None
            if isinstance(container, dict):
                name = self._name()
                done = name is None
            else:
                done = container is not None and self._data[self.at] == 0xF9
                self.at += done
            if done:
                item = container
                container, name = stack.pop()
            else:
                token = self._byte()
                if token in (0xF8, 0xFA):
                    stack.append((container, name))
                    container = {} if token == 0xFA else []
                    continue
                item = self._scalar(token)
            if container is None:
                return item
            if isinstance(container, dict):
                container[name] = item
            else:
                container.append(item)

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _take(self, size: int) -> str:
        text = self._data[self.at : self.at + size]
        if len(text) < size:
            raise IndexError(self.at)
        self.at += size
        return text.decode()

    def _until_end(self) -> str:
        end = self._data.index(_END, self.at)
        text = self._take(end - self.at)
        self.at += 1
        return text

    def _name(self) -> str | None:
        """The next name of an object; None at its end."""
        token = self._byte()
        if token == 0xFB:
            return None
        if token == 0x20:
            return ""
        if 0x30 <= token <= 0x33:
            return _referred(self._names, (token & 3) << 8 | self._byte())
        if token == 0x34:
            return self._until_end()
        if 0x40 <= token <= 0x7F:
            return _referred(self._names, token - 0x40)
        if not 0x80 <= token <= 0xF7:
            raise ValueError(token)
        return _remember(self._names, self._take(token - 0x7F if token < 0xC0 else token - 0xBE))

    def _scalar(self, token: int) -> object:
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if 0x01 <= token <= 0x1F:
            return _referred(self._values, token - 1)
        if 0xEC <= token <= 0xEF:
            return _referred(self._values, (token & 3) << 8 | self._byte())
        if token in (0x24, 0x25):
            return _signed(self._variable())
        if token == 0x26:
            return int.from_bytes(self._seven_bits(self._variable()), "big", signed=True)
        if token == 0x28:
            return struct.unpack(">f", self._fixed(5, 4))[0]
        if token == 0x29:
            return struct.unpack(">d", self._fixed(10, 8))[0]
        if 0xC0 <= token <= 0xDF:
            return _signed(token - 0xC0)
        if token in (0xE0, 0xE4):
            return self._until_end()
        if not 0x40 <= token <= 0xBF:
            raise ValueError(token)
        return _remember(self._values, self._take(token - 0x3F if token < 0x80 else token - 0x7E))

    def _variable(self) -> int:
        number = 0
        while not (byte := self._byte()) & 0x80:
            number = number << 7 | byte
        return number << 6 | byte & 0x3F

    def _fixed(self, groups: int, size: int) -> bytes:
        number = 0
        for _ in range(groups):
            number = number << 7 | self._byte()
        return (number & (1 << 8 * size) - 1).to_bytes(size, "big")

    def _seven_bits(self, size: int) -> bytes:
        """Bytes in groups of seven bits; the last group is not padded."""
        bits = 8 * size
        number, read = 0, 0
        while read < bits:
            width = min(7, bits - read)
            number = number << width | self._byte()
            read += width
        return number.to_bytes(size, "big")


_CONSTANTS = {0x20: "", 0x21: None, 0x22: False, 0x23: True}


def _signed(zigzag: int) -> int:
    return zigzag >> 1 ^ -(zigzag & 1)


def _remember(table: list[str] | None, text: str) -> str:
    if table is not None and len(text.encode()) <= _SHARED_LENGTH:
        if len(table) == _REFERENCES:
            table.clear()
        table.append(text)
    return text


def _referred(table: list[str] | None, at: int) -> str:
    if table is None:
        raise ValueError(at)
    return table[at]


def json_text(data: bytes) -> str:
    """The text of JSON in bytes of Smile. Raises as `decode` does."""
    return jsontext.dumps(decode(data))
