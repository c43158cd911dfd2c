"""The kernel's encoding of values, in Python: the counterpart of its `ValueCodec`.

Values have Arrow's form (see `plans.functions.conversions`). Reading follows the tags, and a shape for rows and maps.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

from compiled_plan.plans import types as t

_NULL, _FALSE, _TRUE, _INTEGRAL, _FLOATING, _SMALL, _BIG, _TEXT, _BYTES, _DATE = range(10)
_INSTANT, _DATE_TIME, _ROW, _LIST, _MAP = 11, 12, 15, 16, 17

EPOCH = dt.datetime(1970, 1, 1)
EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
MICRO = dt.timedelta(microseconds=1)
#: The digits of every DECIMAL, whatever the decimal context of the user's code.
WIDE = Context(prec=76)

Adapt = Callable[[Any], Any]
Write = Callable[[Any, bytearray], None]


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def var(self) -> int:
        """Read a non-negative number, seven bits per byte."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self) -> int:
        encoded = self.var()
        return (encoded >> 1) ^ -(encoded & 1)

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def row(self) -> list[object]:
        """The fields of a row up to the last non-null one."""
        return [self.value() for _ in range(self.var())]

    def value(self) -> Any:
        """A value: a row as a list, a map as a list of pairs."""
        tag = self.byte()
        match tag:
            case 0:
                return None
            case 1 | 2:
                return tag == _TRUE
            case 3:
                return self.signed()
            case 4:
                return struct.unpack(">d", self.bytes(8))[0]
            case 5:
                scale = self.signed()
                return Decimal(self.signed()).scaleb(-scale, WIDE)
            case 6:
                scale = self.signed()
                unscaled = int.from_bytes(self.bytes(self.var()), "big", signed=True)
                return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
            case 7:
                return self.bytes(self.var()).decode()
            case 8:
                return self.bytes(self.var())
            case 9:
                return dt.date.fromordinal(EPOCH_DAY + self.signed())
            case 11:
                return EPOCH_UTC + dt.timedelta(seconds=self.signed(), microseconds=self.var() // 1000)
            case 12:
                return EPOCH + dt.timedelta(seconds=self.signed(), microseconds=self.var() // 1000)
            case 15:
                return self.row()
            case 16:
                return [self.value() for _ in range(self.var())]
            case 17:
                return [(self.value(), self.value()) for _ in range(self.var())]
        raise ValueError(f"unknown tag {tag} in a value")


def adapt(type_: t.LogicalType) -> Adapt | None:
    """The conversion of values of `Reader.value` to Arrow's form: rows as dicts with all fields."""
    convert = _adapt(type_)
    return None if convert is None else lambda value: None if value is None else convert(value)


def _adapt(type_: t.LogicalType) -> Adapt | None:
    match type_:
        case t.FieldsType():
            parts, count = [adapt(part) or _same for part in type_.types], len(type_.fields)
            keys = range(count)
            return lambda fields: {
                key: part(value)
                for key, part, value in zip(keys, parts, [*fields, *[None] * (count - len(fields))], strict=True)
            }
        case t.ArrayType():
            element = adapt(type_.element)
            return None if element is None else lambda items: [element(item) for item in items]
        case t.MapType() | t.MultisetType():
            key, value = [*map(adapt, type_.children()), None][:2]
            if key is None and value is None:
                return None
            one, two = key or _same, value or _same
            return lambda pairs: [(one(left), two(right)) for left, right in pairs]
    return None


def _same(value: object) -> object:
    return value


def writer(type_: t.LogicalType) -> Write:
    """The encoder of values of a type, in Arrow's form."""
    write = _writer(type_)

    def run(value: object, out: bytearray) -> None:
        if value is None:
            out.append(_NULL)
        else:
            write(value, out)

    return run


def write_var(value: int, out: bytearray) -> None:
    """Write a non-negative number, seven bits per byte."""
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)


def write_signed(value: int, out: bytearray) -> None:
    write_var((value << 1) if value >= 0 else ((-value << 1) - 1), out)


def _writer(type_: t.LogicalType) -> Write:
    match type_:
        case t.BooleanType():
            return lambda value, out: out.append(_TRUE if value else _FALSE)
        case t.IntegerType():
            return _whole(type_.BITS)
        case t.TimeType() | t.YearMonthIntervalType():
            return _whole(32)
        case t.DayTimeIntervalType():
            return _whole(64)
        case t.FloatType() | t.DoubleType():
            return _floating
        case t.DecimalType():
            return _decimal(type_)
        case t.CharacterType():
            return _text
        case t.BytesType() | t.RawType():
            return _bytes
        case t.DateType():
            return _date
        case t.TimestampLtzType():
            return lambda value, out: _stamp(_INSTANT, (value - EPOCH_UTC) // MICRO, out)
        case t.TimestampType():
            return lambda value, out: _stamp(_DATE_TIME, (value - EPOCH) // MICRO, out)
        case t.ArrayType():
            return _list(writer(type_.element))
        case t.MapType():
            return _map(writer(type_.key), writer(type_.value))
        case t.MultisetType():
            return _map(writer(type_.element), _whole(32))
        case t.FieldsType():
            return _row([writer(part) for part in type_.types])
    raise TypeError(f"values of type {type_} cannot be a result")


def _whole(bits: int) -> Write:
    limit = 1 << (bits - 1)

    def write(value: object, out: bytearray) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{value!r} is no whole number")
        if not -limit <= value < limit:
            raise OverflowError(f"{value} does not fit {bits} bits")
        out.append(_INTEGRAL)
        write_signed(value, out)

    return write


def _floating(value: object, out: bytearray) -> None:
    out.append(_FLOATING)
    out += struct.pack(">d", value)


def _decimal(type_: t.DecimalType) -> Write:
    def write(value: Decimal, out: bytearray) -> None:
        unscaled = int(value.scaleb(type_.scale, WIDE))
        if len(str(abs(unscaled))) > type_.precision:
            raise OverflowError(f"{value} does not fit {type_}")
        out.append(_BIG)
        write_signed(type_.scale, out)
        data = unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)
        write_var(len(data), out)
        out += data

    return write


def _text(value: str, out: bytearray) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    _sized(_TEXT, value.encode(), out)


def _bytes(value: bytes, out: bytearray) -> None:
    _sized(_BYTES, bytes(value), out)


def _sized(tag: int, data: bytes, out: bytearray) -> None:
    out.append(tag)
    write_var(len(data), out)
    out += data


def _date(value: dt.date, out: bytearray) -> None:
    out.append(_DATE)
    write_signed(value.toordinal() - EPOCH_DAY, out)


def _stamp(tag: int, micros: int, out: bytearray) -> None:
    seconds, rest = divmod(micros, 1_000_000)
    out.append(tag)
    write_signed(seconds, out)
    write_var(rest * 1000, out)


def _list(element: Write) -> Write:
    def write(value: Any, out: bytearray) -> None:
        items = list(value)
        out.append(_LIST)
        write_var(len(items), out)
        for item in items:
            element(item, out)

    return write


def _map(key: Write, element: Write) -> Write:
    def write(value: Any, out: bytearray) -> None:
        out.append(_MAP)
        write_var(len(value), out)
        for left, right in value:
            key(left, out)
            element(right, out)

    return write


def _row(parts: list[Write]) -> Write:
    def write(value: Any, out: bytearray) -> None:
        fields = list(value.values())
        while fields and fields[-1] is None:
            fields.pop()
        out.append(_ROW)
        write_var(len(fields), out)
        for part, item in zip(parts, fields, strict=False):
            part(item, out)

    return write
