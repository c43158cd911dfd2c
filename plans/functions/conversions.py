"""Values as Arrow gives and takes them, to and from the Python objects that a function sees.

Arrow's values are those of `to_pylist`: dicts for rows, lists of pairs for maps, whole numbers for TIME (milliseconds)
and intervals (months, milliseconds). A conversion is None where the objects are the values.
"""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from io import BytesIO
from numbers import Integral
from typing import Any

from plans import types as t
from plans.functions.bridge import Bridged, name_of
from plans.types.row import Row

Convert = Callable[[Any], Any]

_EPOCH_DAY = dt.date(1970, 1, 1)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLI = dt.timedelta(milliseconds=1)
_DECIMALS = Context(prec=76, rounding=ROUND_HALF_UP)


def to_python(bridged: Bridged, place: str = "") -> Convert | None:
    """From Arrow's values to objects; passes None by.

    Args:
        bridged: the type, and the class of the objects.
        place: the argument, for errors of converters.
    """
    return _null_safe(outward(bridged, place))


def from_python(bridged: Bridged, place: str = "") -> Convert | None:
    """From objects to Arrow's values; passes None by.

    The function raises TypeError or ValueError for what is no value, DataError for what a converter does wrong.
    """
    return _null_safe(inward(bridged, place))


def internal(type_: t.LogicalType) -> Bridged:
    """A type whose objects are its internal values, which converters are given and give."""
    if isinstance(type_, t.TimeType | t.DayTimeIntervalType):
        return Bridged(type_, int)
    children = tuple(map(internal, type_.children()))
    return Bridged(type_, tuple if isinstance(type_, t.FieldsType) else None, children)


#: The converters that were opened in this process, which keeps them, so that their ids stay theirs.
_OPENED: dict[int, Any] = {}


class _Converted:
    """One direction of a converter, which is opened once in each process before its first value.

    Args:
        bridged: type, class and converter.
        external: whether objects come out of internal values, or the other way.
        place: the argument or result, for errors.
    """

    def __init__(self, bridged: Bridged, external: bool, place: str) -> None:
        self.bridged, self.external, self.place = bridged, external, place
        self.call: Convert | None = None

    def __getstate__(self) -> tuple[Bridged, bool, str]:
        return self.bridged, self.external, self.place

    def __setstate__(self, state: tuple[Bridged, bool, str]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __call__(self, value: Any) -> Any:
        if self.call is None:
            self.call = self._opened()
        return self.call(value)

    def _opened(self) -> Convert:
        from plans.types.conversions import resolve_class
        from plans.types.conversions.compiling import Spot, fitting
        from plans.types.conversions.custom import Custom

        type_, converter = self.bridged.type, self.bridged.converter
        custom = Custom(converter, self.bridged.class_ or object, type_, self.place)
        if id(converter) not in _OPENED:
            custom.open(resolve_class)
            _OPENED[id(converter)] = converter
        if self.external:
            return custom.to_external
        return custom.inward(fitting(type_, Spot(place=self.place), resolve_class))


def converted(bridged: Bridged, place: str) -> Convert:
    """From objects to internal values, by the converter of a type."""
    return _Converted(bridged, False, place)


def _null_safe(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)


def outward(bridged: Bridged, place: str = "") -> Convert | None:
    """As `to_python`, for values that are not None."""
    if bridged.converter is not None:
        plain = outward(internal(bridged.type))
        given = _Converted(bridged, True, place)
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
            return pickle.loads
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
        from plans.types.conversions.classes import resolve_class

        class_ = resolve_class(type_.class_name)

    def values(row: Mapping[str, Any]) -> list[Any]:
        return [item if part is None else part(item) for part, item in zip(parts, row.values(), strict=True)]

    if class_ is dict:
        return lambda row: dict(zip(names, values(row), strict=True))
    if class_ is tuple:
        return lambda row: tuple(values(row))
    if class_ in (None, Row):
        return lambda row: Row.of(values(row), names)
    from plans.types.conversions.classes import constructor

    make = constructor(class_, names)
    return lambda row: make(values(row))


# --- the other way ---------------------------------------------------------------------------------------------------


def inward(bridged: Bridged, place: str = "") -> Convert | None:
    """As `from_python`, for objects that are not None."""
    if bridged.converter is not None:
        plain = inward(internal(bridged.type))
        given = _Converted(bridged, False, place)
        return given if plain is None else lambda value: plain(given(value))
    class_, name = bridged.class_, name_of(bridged.class_) if bridged.class_ else ""
    match bridged.type:
        case t.CharacterType():
            return bytes.decode if class_ is bytes else None
        case t.BytesType():
            return _bytes
        case t.BooleanType():
            return bool if class_ is not None else None
        case t.IntegerType():
            return _whole
        case t.DecimalType():
            return _decimal(bridged.type)
        case t.DoubleType():
            return float if class_ is not None else None
        case t.DateType() if class_ is int:
            return lambda value: _EPOCH_DAY + dt.timedelta(days=value)
        case t.FloatType() | t.DateType():
            # Arrow by itself would make an infinity of a large number, and cut the time off a datetime.
            return _as_usual(bridged.type)
        case t.TimeType():
            return None if class_ is int else _millis_of_day
        case t.TimestampLtzType() if class_ is int:
            return lambda value: _EPOCH + value * _MILLI
        case t.TimestampLtzType():
            return _aware
        case t.TimestampType():
            return _naive
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


def pickled(value: Any) -> bytes:
    """An object as the value of a RAW column: equal objects have equal bytes, whatever parts they share.

    Rows are grouped, joined and compared by these bytes, as Flink does with those of its serializer.
    """
    data = BytesIO()
    pickler = pickle.Pickler(data, pickle.HIGHEST_PROTOCOL)
    # Without the memo, which writes a part that comes twice as a reference, if both are one object.
    pickler.fast = True
    try:
        pickler.dump(value)
    except (ValueError, RecursionError):  # an object that holds itself
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return data.getvalue()


def _as_usual(type_: t.LogicalType) -> Convert:
    """The conversion of a type's usual class, that of rows and DataFrames."""
    from plans.types.conversions.builtin import SIMPLE

    convert = SIMPLE[type(type_)][0].to_internal
    assert convert is not None
    return lambda value: convert(value, type_)


def _bytes(value: Any) -> bytes:
    """Bytes; Arrow by itself would take a text, too."""
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if not isinstance(value, bytes):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no bytes")
    return value


def _whole(value: Any) -> int:
    """A whole number; Arrow by itself would cut off the digits of a float."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no whole number")
    return int(value)


def _decimal(type_: t.DecimalType) -> Convert:
    step = Decimal(1).scaleb(-type_.scale)

    def convert(value: Any) -> Decimal:
        if not isinstance(value, Decimal):
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise TypeError(f"{value!r} of class {type(value).__name__} is no {type_}; give a Decimal")
            return Decimal(int(value)).quantize(step, context=_DECIMALS)
        return value.quantize(step, context=_DECIMALS)

    return convert


def _millis_of_day(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000


def _aware(value: dt.datetime) -> dt.datetime:
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone, and TIMESTAMP_LTZ is a point in time; give it a tzinfo")
    return value


def _naive(value: dt.datetime) -> dt.datetime:
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is not None:
        raise ValueError(f"{value!r} has a time zone, and TIMESTAMP has none; declare TIMESTAMP_LTZ")
    return value


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
    from plans.types.conversions.classes import field_value

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
