"""Conversion of Arrow values to and from the Python objects that a function handles.

Arrow's values are those of `to_pylist`: dicts for rows, lists of pairs for maps, whole numbers for TIME (milliseconds)
and intervals (months, milliseconds). A conversion is None if the objects are the values.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from numbers import Integral
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.functions.converted import Converted, internal
from compiled_plan.plans.functions.pickles import pickled, unpickling
from compiled_plan.plans.types.classes import constructor, field_value, resolve_class
from compiled_plan.plans.types.converter import Convert
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.python.bridge import Bridged, name_of
from compiled_plan.plans.types.row import Row

_EPOCH_DAY = dt.date(1970, 1, 1)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLI = dt.timedelta(milliseconds=1)


def to_python(bridged: Bridged, place: str = "") -> Convert | None:
    """Conversion of Arrow values to objects; None stays None. `place` is the argument, for errors of converters."""
    return _null_safe(outward(bridged, place))


def from_python(bridged: Bridged, place: str = "") -> Convert | None:
    """Conversion of objects to Arrow values; None stays None.

    It raises TypeError or ValueError for an invalid object, DataError for a fault of a converter.
    """
    return _null_safe(inward(bridged, place))


def _null_safe(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)


def outward(bridged: Bridged, place: str = "") -> Convert | None:
    """Conversion as of `to_python`, for values that are not None."""
    if bridged.converter is not None:
        plain = outward(internal(bridged.type))
        converted = Converted(bridged, True, place)
        return converted if plain is None else lambda value: converted(plain(value))
    class_, name = bridged.class_, name_of(bridged.class_) if bridged.class_ else ""
    match bridged.type:
        case t.CharacterType():
            return str.encode if class_ is bytes else None
        case t.BytesType() | t.NumericType() | t.BooleanType():
            return class_
        case t.DateType():
            return (lambda value: (value - _EPOCH_DAY).days) if class_ is int else None
        case t.TimeType():
            return None if class_ is int else _time
        case t.TimestampLtzType() if class_ is int:
            return lambda value: (value - _EPOCH) // _MILLI
        case t.TimestampBase():
            return class_
        case t.DayTimeIntervalType():
            return None if class_ is int else lambda value: dt.timedelta(milliseconds=value)
        case t.YearMonthIntervalType() if class_ is not None and name.startswith("dateutil."):
            return lambda value: class_(months=value)
        case t.ArrayType():
            return _list_out(to_python(bridged.parts[0], place), class_)
        case t.MapType():
            return _map_out(*(to_python(part, place) for part in bridged.parts))
        case t.MultisetType():
            convert = _map_out(to_python(bridged.parts[0], place), None)
            return convert if class_ in (None, dict) else lambda value: class_(convert(value))
        case t.FieldsType():
            return _fields_out(bridged, place)
        case t.RawType():
            return unpickling(class_ or resolve_class(bridged.type.class_name))
    return None


def _time(value: int) -> dt.time:
    seconds, millis = divmod(value, 1000)
    return dt.time(seconds // 3600, seconds // 60 % 60, seconds % 60, millis * 1000)


def _list_out(element: Convert | None, class_: Any) -> Convert | None:
    build = class_
    if name_of(class_) == "numpy.ndarray":
        import numpy

        build = numpy.array
    if element is None:
        return None if build is None else build
    return (
        (lambda value: [element(item) for item in value])
        if build is None
        else (lambda value: build([element(item) for item in value]))
    )


def _map_out(key: Convert | None, value: Convert | None) -> Convert:
    if key is None and value is None:
        return dict
    key_of, value_of = key or _same, value or _same
    return lambda pairs: {key_of(left): value_of(right) for left, right in pairs}


def _same(value: Any) -> object:
    return value


def _fields_out(bridged: Bridged, place: str) -> Convert | None:
    type_ = bridged.type
    assert isinstance(type_, t.FieldsType)
    names, parts = type_.names, [to_python(part, place) for part in bridged.parts]
    class_ = bridged.class_
    if class_ is None and isinstance(type_, t.StructuredType):
        class_ = resolve_class(type_.class_name)

    def values(row: Mapping[str, object]) -> list[object]:
        return [item if part is None else part(item) for part, item in zip(parts, row.values(), strict=True)]

    if class_ is dict:
        return lambda row: dict(zip(names, values(row), strict=True))
    if class_ is tuple:
        return lambda row: tuple(values(row))
    if class_ in (None, Row):
        return lambda row: Row.of(values(row), names)
    make = constructor(class_, names)
    return lambda row: make(values(row))


# --- objects to Arrow values -----------------------------------------------------------------------------------------


def inward(bridged: Bridged, place: str = "") -> Convert | None:
    """Conversion as of `from_python`, for objects that are not None."""
    if bridged.converter is not None:
        plain = inward(internal(bridged.type))
        converted = Converted(bridged, False, place)
        return converted if plain is None else lambda value: plain(converted(value))
    class_, name = bridged.class_, name_of(bridged.class_) if bridged.class_ else ""
    match bridged.type:
        case t.CharacterType():
            return bytes.decode if class_ is bytes else None
        case t.BytesType():
            return bytes_of
        case t.BooleanType():
            return bool if class_ is not None else None
        case t.IntegerType():
            return whole
        case t.DecimalType():
            return decimal(bridged.type)
        case t.DoubleType():
            return float if class_ is not None else None
        case t.DateType() if class_ is int:
            return lambda value: _EPOCH_DAY + dt.timedelta(days=value)
        case t.FloatType() | t.DateType():
            # Arrow would turn a large number into infinity, and truncate a datetime to its date.
            return by_default_class(bridged.type)
        case t.TimeType():
            return None if class_ is int else millis_of_day
        case t.TimestampLtzType() if class_ is int:
            return lambda value: _EPOCH + value * _MILLI
        case t.TimestampLtzType():
            return aware
        case t.TimestampType():
            return naive
        case t.DayTimeIntervalType():
            return None if class_ is int else lambda value: value // _MILLI
        case t.YearMonthIntervalType() if name.startswith("dateutil."):
            return lambda value: value.years * 12 + value.months
        case t.ArrayType():
            element = from_python(bridged.parts[0], place)
            return list if element is None else lambda value: [element(item) for item in value]
        case t.MapType():
            return _map_in(*(from_python(part, place) for part in bridged.parts))
        case t.MultisetType():
            return _map_in(from_python(bridged.parts[0], place), None)
        case t.FieldsType():
            return _fields_in(bridged, place)
        case t.RawType():
            return pickled
    return None


def _map_in(key: Convert | None, value: Convert | None) -> Convert:
    if key is None and value is None:
        return lambda entries: list(entries.items())
    key_of, value_of = key or _same, value or _same
    return lambda entries: [(key_of(left), value_of(right)) for left, right in entries.items()]


def _fields_in(bridged: Bridged, place: str) -> Convert:
    type_ = bridged.type
    assert isinstance(type_, t.FieldsType)
    return fields_in(type_.names, bridged.parts, str(type_), place)


def fields_in(names: Sequence[str], parts: Sequence[Bridged], text: str, place: str = "") -> Convert:
    """Conversion of a row in any form (tuple, `Row`, list, dict, object) to a dict of Arrow values."""
    converts = [from_python(part, place) for part in parts]
    count = len(names)

    def values(row: object) -> Sequence[Any]:
        if isinstance(row, Mapping):
            unknown = set(row) - set(names)
            if unknown:
                raise ValueError(f"{text} has no field {sorted(map(str, unknown))[0]!r}")
            return [row.get(name) for name in names]
        if isinstance(row, MutableRow):
            row = row.get_fields_by_names(names)
        if isinstance(row, tuple | list):
            if len(row) != count:
                raise ValueError(f"a row of {len(row)} values is no {text}, which has {count} fields")
            return row
        try:
            return [field_value(row, name) for name in names]
        except AttributeError:
            raise TypeError(f"{row!r} is no row of {text}") from None

    def convert(row: object) -> dict[str, object]:
        return {
            name: item if part is None else part(item)
            for name, part, item in zip(names, converts, values(row), strict=True)
        }

    return convert


# --- checks of results that Arrow would convert silently -------------------------------------------------------------

_DECIMALS = Context(prec=76, rounding=ROUND_HALF_UP)


def by_default_class(type_: t.LogicalType) -> Convert:
    """The conversion of a type's default class, as in rows and DataFrames."""
    from compiled_plan.plans.types.conversions.builtin import SIMPLE

    convert = SIMPLE[type(type_)][0].to_internal
    assert convert is not None
    return lambda value: convert(value, type_)


def bytes_of(value: Any) -> bytes:
    """Check bytes; Arrow would accept a str, too."""
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if not isinstance(value, bytes):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no bytes")
    return value


def whole(value: Any) -> int:
    """Check a whole number; Arrow would truncate a float."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no whole number")
    return int(value)


def decimal(type_: t.DecimalType) -> Convert:
    """Conversion of a number to a DECIMAL, rounded half up to its scale."""
    step = Decimal(1).scaleb(-type_.scale)

    def convert(value: Any) -> Decimal:
        if not isinstance(value, Decimal):
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise TypeError(f"{value!r} of class {type(value).__name__} is no {type_}; give a Decimal")
            return Decimal(int(value)).quantize(step, context=_DECIMALS)
        return value.quantize(step, context=_DECIMALS)

    return convert


def millis_of_day(value: dt.time) -> int:
    """A time of day as milliseconds, the representation of TIME."""
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000


def aware(value: dt.datetime) -> dt.datetime:
    """Refuse a datetime without a time zone, which is no instant."""
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone, and TIMESTAMP_LTZ is a point in time; give it a tzinfo")
    return value


def naive(value: dt.datetime) -> dt.datetime:
    """Refuse a datetime with a time zone, which a TIMESTAMP has not."""
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is not None:
        raise ValueError(f"{value!r} has a time zone, and TIMESTAMP has none; declare TIMESTAMP_LTZ")
    return value
