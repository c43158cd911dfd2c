"""What a function may give for a value of a type, as Arrow takes it: checked where Arrow by itself would change it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from numbers import Integral
from typing import Any

from compiled_plan.plans import types as t

Convert = Callable[[Any], Any]
_DECIMALS = Context(prec=76, rounding=ROUND_HALF_UP)


def as_usual(type_: t.LogicalType) -> Convert:
    """The conversion of a type's usual class, that of rows and DataFrames."""
    from compiled_plan.plans.types.conversions.builtin import SIMPLE

    convert = SIMPLE[type(type_)][0].to_internal
    assert convert is not None
    return lambda value: convert(value, type_)


def bytes_of(value: Any) -> bytes:
    """Bytes; Arrow by itself would take a text, too."""
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if not isinstance(value, bytes):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no bytes")
    return value


def whole(value: Any) -> int:
    """A whole number; Arrow by itself would cut off the digits of a float."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{value!r} of class {type(value).__name__} is no whole number")
    return int(value)


def decimal(type_: t.DecimalType) -> Convert:
    """A number as a DECIMAL, rounded half up to its scale."""
    step = Decimal(1).scaleb(-type_.scale)

    def convert(value: Any) -> Decimal:
        if not isinstance(value, Decimal):
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise TypeError(f"{value!r} of class {type(value).__name__} is no {type_}; give a Decimal")
            return Decimal(int(value)).quantize(step, context=_DECIMALS)
        return value.quantize(step, context=_DECIMALS)

    return convert


def millis_of_day(value: dt.time) -> int:
    """A time of the day as TIME holds it."""
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000


def aware(value: dt.datetime) -> dt.datetime:
    """A point in time, which a datetime without a zone is not."""
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone, and TIMESTAMP_LTZ is a point in time; give it a tzinfo")
    return value


def naive(value: dt.datetime) -> dt.datetime:
    """A TIMESTAMP, which has no zone."""
    if not isinstance(value, dt.datetime):
        raise TypeError(f"{value!r} is no datetime")
    if value.tzinfo is not None:
        raise ValueError(f"{value!r} has a time zone, and TIMESTAMP has none; declare TIMESTAMP_LTZ")
    return value
