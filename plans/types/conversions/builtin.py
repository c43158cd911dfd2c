"""Table of the built-in conversions: per logical type, the Python classes that it accepts and returns.

The first class of a type is its default external class, unless `bridged_to` names another. A function of a conversion
raises ValueError, TypeError or ArithmeticError for an object that is no value of the type.

Source: the conversions of Flink's "Data Types" page, with Python's classes instead of Java's.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Set
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from numbers import Integral, Real
from typing import Any

from compiled_plan.plans.types import bitmaps, variants
from compiled_plan.plans.types import logical as t

Convert = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Conversion:
    """An external class of a type's values."""

    class_: type  # includes its subclasses
    to_internal: Convert | None  # (object, type) to internal value; None if the class is only for output
    to_external: Convert | None  # (internal value, type) to object; None if the class is only for input
    note: str = ""  # remark for the reference pages


def same(value: Any, type_: object) -> Any:
    return value


_UTC = dt.UTC
_DECIMALS = Context(prec=76, rounding=ROUND_HALF_UP)


def _whole(value: Any, type_: t.IntegerType) -> int:
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    number, most = int(value), 2 ** (type_.BITS - 1)
    if not -most <= number < most:
        raise OverflowError(f"it does not fit {type_.text()}, which holds {-most} to {most - 1}")
    return number


def _real(value: Any, type_: object) -> float:
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    return float(value)


def _single(value: object, type_: object) -> float:
    number = _real(value, type_)
    if abs(number) > 3.4028235677973366e38 and number not in (float("inf"), float("-inf")):
        raise OverflowError("it does not fit FLOAT")
    return number


def _decimal(value: Any, type_: t.DecimalType) -> Decimal:
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    number = value if isinstance(value, Decimal) else Decimal(int(value))
    if not number.is_finite():
        raise ValueError(f"DECIMAL has no {number}")
    rounded = number.quantize(Decimal(1).scaleb(-type_.scale), context=_DECIMALS)
    if rounded.adjusted() + 1 + type_.scale > type_.precision and rounded:
        raise OverflowError(f"it does not fit {type_.text()}")
    return rounded


def _date(value: dt.date, type_: object) -> dt.date:
    if isinstance(value, dt.datetime):
        raise TypeError("a datetime is no date; take its .date()")
    return value


def _millis_of_day(value: dt.time, type_: object) -> int:
    if value.tzinfo is not None:
        raise ValueError("TIME has no time zone")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000


def _day_millis(value: object, type_: object) -> int:
    number = _whole(value, t.INT)
    if not 0 <= number < 86_400_000:
        raise ValueError("the milliseconds of a day are 0 to 86399999")
    return number


def _time(value: int, type_: object) -> dt.time:
    seconds, millis = divmod(value, 1000)
    return dt.time(seconds // 3600, seconds // 60 % 60, seconds % 60, millis * 1000)


def _plain_datetime(value: dt.datetime, type_: object) -> dt.datetime:
    if value.tzinfo is not None:
        raise ValueError("TIMESTAMP has no time zone; declare TIMESTAMP_LTZ, or take the zone away")
    return _datetime(value)


def _instant(value: dt.datetime, type_: object) -> dt.datetime:
    if value.tzinfo is None:
        raise ValueError("TIMESTAMP_LTZ is a point in time; give the datetime a tzinfo, or declare TIMESTAMP")
    return _datetime(value).astimezone(_UTC)


def _datetime(value: dt.datetime) -> dt.datetime:
    """Convert pandas' subclass to the plain class, with microseconds."""
    if type(value) is dt.datetime:
        return value
    return dt.datetime.combine(dt.datetime.date(value), dt.datetime.timetz(value))


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=_UTC)


def _from_epoch(value: object, type_: object) -> dt.datetime:
    return _EPOCH + dt.timedelta(milliseconds=_whole(value, t.BIGINT))


def _to_epoch(value: dt.datetime, type_: object) -> int:
    return (value - _EPOCH) // dt.timedelta(milliseconds=1)


def _interval(value: dt.timedelta, type_: object) -> int:
    return value // dt.timedelta(milliseconds=1)


def _timedelta(value: int, type_: object) -> dt.timedelta:
    return dt.timedelta(milliseconds=value)


def _months(value: object, type_: object) -> int:
    return _whole(value, t.INT)


def _millis(value: object, type_: object) -> int:
    return _whole(value, t.BIGINT)


def _to(class_: Callable[[Any], Any]) -> Convert:
    return lambda value, type_: class_(value)


@dataclass(frozen=True, slots=True)
class PackageConversion:
    """A class, known by name, of a package that may not be installed."""

    name: str  # full name, or a prefix followed by an asterisk
    to_internal: Convert
    to_external: Convert  # (internal value, class) to object

    def fits(self, class_: type) -> bool:
        """Return True if the name matches a class."""
        full = f"{class_.__module__}.{class_.__qualname__}"
        return full.startswith(self.name[:-1]) if self.name.endswith("*") else full == self.name


def _instance(value: Any, class_: Any) -> object:
    return class_(value)


def _list(value: Any, type_: object) -> list[object]:
    return list(value)


def _whole_months(value: Any, type_: Any) -> int:
    if any((value.days, value.hours, value.minutes, value.seconds, value.microseconds)):
        raise ValueError("an INTERVAL YEAR TO MONTH has years and months alone")
    return _months(value.years * 12 + value.months, type_)


_PANDAS_TIMESTAMP = "pandas._libs.tslibs.timestamps.Timestamp"

#: Conversions of classes known by name, in addition to those of SIMPLE.
PACKAGED: dict[type[t.LogicalType], tuple[PackageConversion, ...]] = {
    t.BooleanType: (PackageConversion("numpy.bool*", lambda value, _: bool(value), _instance),),
    **dict.fromkeys(
        (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType),
        (PackageConversion("numpy.int*", _whole, _instance), PackageConversion("numpy.uint*", _whole, _instance)),
    ),
    **dict.fromkeys((t.FloatType, t.DoubleType), (PackageConversion("numpy.float*", _real, _instance),)),
    t.ArrayType: (PackageConversion("numpy.ndarray", _list, lambda value, _: sys.modules["numpy"].array(value)),),
    t.TimestampType: (PackageConversion(_PANDAS_TIMESTAMP, _plain_datetime, _instance),),
    t.TimestampLtzType: (PackageConversion(_PANDAS_TIMESTAMP, _instant, _instance),),
    t.YearMonthIntervalType: (
        PackageConversion(
            "dateutil.relativedelta.relativedelta", _whole_months, lambda value, class_: class_(months=value)
        ),
    ),
}

_TEXT = (Conversion(str, same, same), Conversion(bytes, lambda v, _: v.decode(), lambda v, _: v.encode(), "UTF-8"))
_BINARY = (
    Conversion(bytes, _to(bytes), same),
    Conversion(bytearray, _to(bytes), _to(bytearray)),
    Conversion(memoryview, _to(bytes), _to(memoryview)),
)
_BITMAP = (
    Conversion(frozenset, lambda v, _: bitmaps.write(v), lambda v, _: bitmaps.read(v), "integers of 32 bits"),
    Conversion(Set, lambda v, _: bitmaps.write(v), None),
)
_INT = (Conversion(int, _whole, same), Conversion(Integral, _whole, None, "numpy's integers"))

#: The conversions of types without component types; the first has the default class.
SIMPLE: dict[type[t.LogicalType], tuple[Conversion, ...]] = {
    t.CharType: _TEXT,
    t.VarCharType: _TEXT,
    t.BooleanType: (Conversion(bool, same, same),),
    t.BinaryType: _BINARY,
    t.VarBinaryType: _BINARY,
    t.BitmapType: _BITMAP,
    t.VariantType: (Conversion(object, None, lambda v, _: variants.read(v), "as of json.loads, with Decimal"),),
    t.DecimalType: (
        Conversion(Decimal, _decimal, same, "rounded half up to the scale"),
        Conversion(Integral, _decimal, None),
    ),
    t.TinyIntType: _INT,
    t.SmallIntType: _INT,
    t.IntType: _INT,
    t.BigIntType: _INT,
    t.FloatType: (
        Conversion(float, _single, same),
        Conversion(Real, _single, None, "int, numpy's numbers"),
        Conversion(Decimal, _single, None),
    ),
    t.DoubleType: (
        Conversion(float, _real, same),
        Conversion(Real, _real, None, "int, numpy's numbers"),
        Conversion(Decimal, _real, None),
    ),
    t.DateType: (
        Conversion(dt.date, _date, same),
        Conversion(
            int,
            lambda v, _: dt.date(1970, 1, 1) + dt.timedelta(days=_whole(v, t.INT)),
            lambda v, _: (v - dt.date(1970, 1, 1)).days,
            "days since 1970-01-01",
        ),
    ),
    t.TimeType: (
        Conversion(dt.time, _millis_of_day, _time, "milliseconds; further digits are cut off"),
        Conversion(int, _day_millis, same, "milliseconds of the day"),
    ),
    t.TimestampType: (Conversion(dt.datetime, _plain_datetime, same, "without tzinfo, microseconds"),),
    t.TimestampLtzType: (
        Conversion(dt.datetime, _instant, same, "with tzinfo; comes out in UTC, microseconds"),
        Conversion(int, _from_epoch, _to_epoch, "milliseconds since 1970-01-01T00:00Z"),
    ),
    t.YearMonthIntervalType: (Conversion(int, _months, same, "months"),),
    t.DayTimeIntervalType: (
        Conversion(dt.timedelta, _interval, _timedelta, "milliseconds; further digits are cut off"),
        Conversion(int, _millis, same, "milliseconds"),
    ),
}
