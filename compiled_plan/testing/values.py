"""Values of a test's file by the types of columns, and back."""

from __future__ import annotations

import datetime as dt
import json
import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text.durations import format_duration, parse_duration
from compiled_plan.plans.types import bitmaps, variants
from compiled_plan.plans.types.conversions.builtin import SIMPLE

#: Equal digits of floating-point numbers that count as equal.
_DOUBLE_DIGITS, _FLOAT_DIGITS = 12, 6
_FORMS = {
    t.DateType: "a date, such as 2024-01-31",
    t.TimeType: "a time, such as 12:30:00",
    t.TimestampType: "a timestamp, such as 2024-01-31 12:30:00.5",
    t.TimestampLtzType: "a point in time, such as 2024-01-31 12:30:00Z; without a zone it is UTC",
    t.BinaryType: "bytes in hexadecimal, such as 0x0aff",
    t.VarBinaryType: "bytes in hexadecimal, such as 0x0aff",
    t.DayTimeIntervalType: "a duration, such as 90 min",
    t.YearMonthIntervalType: "a number of months",
    t.BitmapType: "a list of integers",
    t.BooleanType: "true or false",
    t.MapType: "a mapping, or a list of [key, value]",
    t.MultisetType: "a list of elements, or a mapping of elements to counts",
}


class ValueFault(Exception):
    """A value that is none of its type.

    Args:
        path: its place below the converted value.
        message: the problem.
        remedy: the accepted form.
    """

    def __init__(self, path: tuple[str | int, ...], message: str, remedy: str) -> None:
        super().__init__(message)
        self.path, self.message, self.remedy = path, message, remedy


def internal_value(value: object, type_: t.LogicalType, path: tuple[str | int, ...] = ()) -> object:
    """The internal value (see `plans.types.converter`) of a value of a file.

    Raises:
        ValueFault: it is no value of the type.
    """
    if value is None:
        return None
    try:
        return _converted(value, type_, path)
    except (ValueError, TypeError, ArithmeticError, PlanError) as fault:
        form = _FORMS.get(type(type_), f"a value of type {type_.text()}")
        reason = f": {fault}" if isinstance(fault, OverflowError) else ""
        raise ValueFault(path, f"{shown(value)} is no {type_.text()}{reason}", f"write {form}") from None


def _converted(value: object, type_: t.LogicalType, path: tuple[str | int, ...]) -> object:
    match type_:
        case t.FieldsType():
            return internal_row(value, type_, path)
        case t.ArrayType():
            return [internal_value(item, type_.element, (*path, at)) for at, item in enumerate(_list(value))]
        case t.MapType():
            pairs = value.items() if isinstance(value, Mapping) else [_pair(item) for item in _list(value)]
            return {
                _hashable(internal_value(_key(key, type_.key), type_.key, path)): internal_value(
                    item, type_.value, (*path, str(key))
                )
                for key, item in pairs
            }
        case t.MultisetType():
            if isinstance(value, Mapping):
                return {
                    internal_value(_key(item, type_.element), type_.element, path): _count(count)
                    for item, count in value.items()
                }
            items = [internal_value(item, type_.element, (*path, at)) for at, item in enumerate(_list(value))]
            return dict(Counter(map(_hashable, items)))
    parse = _PARSERS.get(type(type_))
    if parse is not None:
        value = parse(value)
    for conversion in SIMPLE.get(type(type_), ()):
        if conversion.to_internal is not None and isinstance(value, conversion.class_):
            return _exact(conversion.to_internal(value, type_), value, type_)
    raise TypeError


def _exact(internal: Any, value: object, type_: t.LogicalType) -> object:
    if isinstance(type_, t.IntegerType) and isinstance(value, Decimal):
        raise TypeError
    if isinstance(type_, t.CharacterType) and len(internal) > type_.length:
        raise OverflowError(f"it has {len(internal)} characters")
    if isinstance(internal, Decimal) and internal != value:
        raise OverflowError(f"it has more than {getattr(type_, 'scale', 0)} digits after the point")
    return struct.unpack("f", struct.pack("f", internal))[0] if isinstance(type_, t.FloatType) else internal


def internal_row(value: object, type_: t.FieldsType, path: tuple[str | int, ...] = ()) -> tuple[object, ...]:
    """The internal value of a row: a mapping, in which NULLs may be missing, or a list.

    Raises:
        ValueFault: a value is none of its column's type, or there is no such column.
    """
    if isinstance(value, Mapping):
        unknown = next((name for name in value if type_.field_named(str(name)) is None), None)
        if unknown is not None:
            raise ValueFault((*path, str(unknown)), f"no column {unknown!r}", f"there are {', '.join(type_.names)}")
        return tuple(internal_value(value.get(f.name), f.type, (*path, f.name)) for f in type_.fields)
    if isinstance(value, list):
        if len(value) != len(type_.fields):
            remedy = f"write {', '.join(type_.names)}"
            raise ValueFault(path, f"{len(value)} values for {len(type_.fields)} columns", remedy)
        return tuple(
            internal_value(item, f.type, (*path, at))
            for at, (item, f) in enumerate(zip(value, type_.fields, strict=True))
        )
    raise ValueFault(path, f"{shown(value)} is no row", "write {column: value, ...} or a list of all values")


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _pair(item: object) -> tuple[object, object]:
    key, value = _list(item)
    return key, value


def _key(key: object, type_: t.LogicalType) -> object:
    """The value of a key, which is a text in a file."""
    return int(key) if isinstance(key, str) and isinstance(type_, t.IntegerType) else key


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError
    return value


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value.strip()


def _timestamp(value: object) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return value
    text = _text(value).replace(" ", "T", 1).replace(" ", "")
    return dt.datetime.fromisoformat(text)


def _instant(value: object) -> dt.datetime:
    point = _timestamp(value)
    return point if point.tzinfo is not None else point.replace(tzinfo=dt.UTC)


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError("quote it")
    text = _text(value)
    if not text.startswith(("0x", "0X")):
        raise ValueError
    return bytes.fromhex(text[2:])


def _number(value: object) -> object:
    special = {"nan": "nan", "infinity": "inf", "-infinity": "-inf"}.get(str(value).lower())
    return float(special) if special is not None else _decimal(value)


def _decimal(value: object) -> object:
    return Decimal(value) if isinstance(value, str) else value


def _duration(value: object) -> int:
    if isinstance(value, int):
        return value
    text = _text(value)
    return -parse_duration(text[1:].strip()) if text.startswith("-") else parse_duration(text)


_PARSERS: Mapping[type[t.LogicalType], Callable[[Any], object]] = {
    t.DateType: lambda value: value if isinstance(value, dt.date) else dt.date.fromisoformat(_text(value)),
    t.TimeType: lambda value: value if isinstance(value, dt.time) else dt.time.fromisoformat(_text(value)),
    t.TimestampType: _timestamp,
    t.TimestampLtzType: _instant,
    t.BinaryType: _bytes,
    t.VarBinaryType: _bytes,
    t.BitmapType: lambda value: frozenset(value),
    t.DayTimeIntervalType: _duration,
    t.DecimalType: _decimal,
    t.FloatType: _number,
    t.DoubleType: _number,
}


# ---- comparison


def comparable(value: Any, type_: t.LogicalType, *, exact: bool = False) -> Any:
    """A hashable form of an internal value, equal for values that count as equal.

    Args:
        value: the value.
        type_: its type.
        exact: compare as Spark does: floating-point numbers by all digits, and maps with the order of their entries.
    """
    if value is None:
        return None
    part = partial(comparable, exact=exact)
    entries = tuple if exact else frozenset
    match type_:
        case t.FieldsType():
            return tuple(part(item, field.type) for item, field in zip(value, type_.fields, strict=True))
        case t.ArrayType():
            return tuple(part(item, type_.element) for item in value)
        case t.MapType():
            return entries((part(k, type_.key), part(v, type_.value)) for k, v in value.items())
        case t.MultisetType():
            return entries((part(k, type_.element), count) for k, count in value.items())
        case t.DoubleType() | t.FloatType() if exact:
            return value if value == value else str(value)
        case t.DoubleType():
            return f"{value:.{_DOUBLE_DIGITS}g}"
        case t.FloatType():
            return f"{value:.{_FLOAT_DIGITS}g}"
        case t.VariantType() if exact:
            return variants.text(value)
    return value


# ---- back into a file


def written_value(value: Any, type_: t.LogicalType) -> Any:
    """The value of a file for an internal value: a dict, list, text, bool, number or None."""
    if value is None:
        return None
    match type_:
        case t.FieldsType():
            return {f.name: written_value(item, f.type) for item, f in zip(value, type_.fields, strict=True)}
        case t.ArrayType():
            return [written_value(item, type_.element) for item in value]
        case t.MapType() if isinstance(type_.key, t.CharacterType) and all(map(_is_key, value)):
            return {key: written_value(item, type_.value) for key, item in value.items()}
        case t.MapType():
            return [[written_value(k, type_.key), written_value(v, type_.value)] for k, v in value.items()]
        case t.MultisetType():
            return [written_value(item, type_.element) for item, count in value.items() for _ in range(count)]
        case t.TimeType():
            hours, rest = divmod(value, 3_600_000)
            return dt.time(hours, rest // 60_000, rest // 1000 % 60, rest % 1000 * 1000).isoformat()
        case t.TimestampType():
            # Metadata that a connector declares as a point in time may be declared as a timestamp.
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case t.TimestampLtzType():
            return f"{value.replace(tzinfo=None).isoformat(sep=' ')}Z"
        case t.DateType():
            return value.isoformat()
        case t.BitmapType():
            return sorted(bitmaps.read(value))
        case t.VariantType():
            return json.loads(variants.text(value), parse_float=Decimal)
        case t.BytesType():
            return f"0x{value.hex()}"
        case t.DayTimeIntervalType():
            return format_duration(value) if value >= 0 else f"-{format_duration(-value)}"
        case t.FloatType():
            return float(f"{value:.9g}")
    return value


def shown(value: object) -> str:
    """A value as flow YAML: `{id: 1, at: 2024-01-01 00:00:00}`."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value != value or value in (float("inf"), float("-inf")):
            return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
        case Decimal():
            return f"{value:f}" if "." in f"{value:f}" or value == value.to_integral_value() else str(value)
        case Mapping():
            return "{" + ", ".join(f"{scalar(str(key))}: {shown(item)}" for key, item in value.items()) + "}"
        case str():
            return scalar(value)
        case Sequence():
            return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


_SPECIAL = frozenset(",?[]{}#&*!|>%@`\"'")
#: Characters that YAML does not accept as they are, or takes for line breaks; JSON escapes those of ASCII.
_UNPRINTABLE = re.compile("[\x7f-\xa0\xad\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
#: YAML's limit on keys is 1024 characters, with quotes and escapes.
_KEY_LENGTH = 128


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _is_key(key: str | None) -> bool:
    return key is not None and len(key) <= _KEY_LENGTH


def scalar(text: str) -> str:
    """A text as a YAML scalar that reads as the same text."""
    from compiled_plan.testing.document import is_plain_text

    if is_plain_text(text) and not _SPECIAL & set(text):
        return text
    return _UNPRINTABLE.sub(_escaped, json.dumps(text, ensure_ascii=False))
