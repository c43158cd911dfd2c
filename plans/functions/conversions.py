"""Values as Arrow gives and takes them, to and from the Python objects that a function sees.

Arrow's values are those of `to_pylist`: dicts for rows, lists of pairs for maps, whole numbers for TIME (milliseconds)
and intervals (months, milliseconds). A conversion is None where the objects are the values.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.functions.converted import Converted, internal
from compiled_plan.plans.functions.pickles import pickled, unpickling
from compiled_plan.plans.functions.results import as_usual, aware, bytes_of, decimal, millis_of_day, naive, whole
from compiled_plan.plans.types.classes import constructor, field_value, resolve_class
from compiled_plan.plans.types.python.bridge import Bridged, name_of
from compiled_plan.plans.types.row import Row

Convert = Callable[[Any], Any]

_EPOCH_DAY = dt.date(1970, 1, 1)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLI = dt.timedelta(milliseconds=1)


def to_python(bridged: Bridged, place: str = "") -> Convert | None:
    """From Arrow's values to objects; passes None by. `place` is the argument, for errors of converters."""
    return _null_safe(outward(bridged, place))


def from_python(bridged: Bridged, place: str = "") -> Convert | None:
    """From objects to Arrow's values; passes None by.

    The function raises TypeError or ValueError for what is no value, DataError for what a converter does wrong.
    """
    return _null_safe(inward(bridged, place))


def _null_safe(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)


def outward(bridged: Bridged, place: str = "") -> Convert | None:
    """As `to_python`, for values that are not None."""
    if bridged.converter is not None:
        plain = outward(internal(bridged.type))
        given = Converted(bridged, True, place)
        return given if plain is None else lambda value: given(plain(value))
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
    made = class_
    if name_of(class_) == "numpy.ndarray":
        import numpy

        made = numpy.array
    if element is None:
        return None if made is None else made
    return (
        (lambda value: [element(item) for item in value])
        if made is None
        else (lambda value: made([element(item) for item in value]))
    )


def _map_out(key: Convert | None, value: Convert | None) -> Convert:
    if key is None and value is None:
        return dict
    one, two = key or _same, value or _same
    return lambda pairs: {one(left): two(right) for left, right in pairs}


def _same(value: Any) -> Any:
    return value


def _fields_out(bridged: Bridged, place: str) -> Convert | None:
    type_ = bridged.type
    assert isinstance(type_, t.FieldsType)
    names, parts = type_.names, [to_python(part, place) for part in bridged.parts]
    class_ = bridged.class_
    if class_ is None and isinstance(type_, t.StructuredType):
        class_ = resolve_class(type_.class_name)

    def values(row: Mapping[str, Any]) -> list[Any]:
        return [item if part is None else part(item) for part, item in zip(parts, row.values(), strict=True)]

    if class_ is dict:
        return lambda row: dict(zip(names, values(row), strict=True))
    if class_ is tuple:
        return lambda row: tuple(values(row))
    if class_ in (None, Row):
        return lambda row: Row.of(values(row), names)
    make = constructor(class_, names)
    return lambda row: make(values(row))


# --- the other way ---------------------------------------------------------------------------------------------------


def inward(bridged: Bridged, place: str = "") -> Convert | None:
    """As `from_python`, for objects that are not None."""
    if bridged.converter is not None:
        plain = inward(internal(bridged.type))
        given = Converted(bridged, False, place)
        return given if plain is None else lambda value: plain(given(value))
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
            # Arrow by itself would make an infinity of a large number, and cut the time off a datetime.
            return as_usual(bridged.type)
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
        return lambda given: list(given.items())
    one, two = key or _same, value or _same
    return lambda given: [(one(left), two(right)) for left, right in given.items()]


def _fields_in(bridged: Bridged, place: str) -> Convert:
    type_ = bridged.type
    assert isinstance(type_, t.FieldsType)
    return fields_in(type_.names, bridged.parts, str(type_), place)


def fields_in(names: Sequence[str], parts: Sequence[Bridged], text: str, place: str = "") -> Convert:
    """A row in any of its forms (tuple, `Row`, list, dict, object) as a dict of Arrow's values."""
    converts = [from_python(part, place) for part in parts]
    count = len(names)

    def values(given: Any) -> Sequence[Any]:
        if isinstance(given, Mapping):
            unknown = set(given) - set(names)
            if unknown:
                raise ValueError(f"{text} has no field {sorted(map(str, unknown))[0]!r}")
            return [given.get(name) for name in names]
        if isinstance(given, tuple | list):
            if len(given) != count:
                raise ValueError(f"a row of {len(given)} values is no {text}, which has {count} fields")
            return given
        try:
            return [field_value(given, name) for name in names]
        except AttributeError:
            raise TypeError(f"{given!r} is no row of {text}") from None

    def convert(given: Any) -> dict[str, Any]:
        return {
            name: item if part is None else part(item)
            for name, part, item in zip(names, converts, values(given), strict=True)
        }

    return convert
