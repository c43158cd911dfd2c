"""Literal values in a plan's JSON: checks against their type, and their conversion to Python."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.rex.nodes import Literal

_UNITS = (
    "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND EPOCH DECADE CENTURY MILLENNIUM "
    "DOW DOY ISODOW ISOYEAR YEAR_TO_MONTH DAY_TO_HOUR DAY_TO_MINUTE DAY_TO_SECOND HOUR_TO_MINUTE HOUR_TO_SECOND "
    "MINUTE_TO_SECOND"
).split()
#: Keywords that expressions have as operands, by Flink's name of the enum; empty: any keyword.
SYMBOLS: dict[str, tuple[str, ...]] = {
    "TIME_UNIT_RANGE": tuple(_UNITS),
    "TIME_UNIT": tuple(_UNITS),
    "TIME_POINT_UNIT": tuple(_UNITS),
    "TRIM": ("BOTH", "LEADING", "TRAILING"),
    "JSON_EXISTS_ON_ERROR": ("TRUE", "FALSE", "UNKNOWN", "ERROR"),
    "JSON_VALUE_ON_EMPTY_OR_ERROR": ("NULL", "ERROR", "DEFAULT"),
    "JSON_EMPTY_OR_ERROR": ("EMPTY", "ERROR"),
    "JSON_QUERY_WRAPPER": (
        *("WITHOUT_ARRAY", "CONDITIONAL_ARRAY", "UNCONDITIONAL_ARRAY"),
        *("WITH_CONDITIONAL_ARRAY", "WITH_UNCONDITIONAL_ARRAY"),
    ),
    "JSON_QUERY_ON_EMPTY_OR_ERROR": ("NULL", "EMPTY_ARRAY", "EMPTY_OBJECT", "ERROR"),
    "JSON_ON_NULL": ("NULL", "ABSENT"),
    "JSON_TYPE": (),
    "MATCH_RECOGNIZE_AFTER_OPTION": (),
}


def value_fits(value: object, type_: t.LogicalType, symbol: str | None = None) -> bool:
    """Return True if a literal of the type can hold the value; a symbol has the name of its enum, and a text."""
    if isinstance(type_, t.SymbolType):
        return isinstance(value, str) and symbol in SYMBOLS and value in (SYMBOLS[symbol] or (value,))
    if value is None:
        return True
    # A type that is not listed has no literal but NULL.
    return next((check(value, type_) for kind, check, _ in _LITERALS if isinstance(type_, kind)), False)


def literal_remedy(type_: t.LogicalType) -> str:
    """Remedy that describes the notation of a value of the type."""
    if isinstance(type_, t.SymbolType):
        return "write the name of the keyword"
    written = next((text for kind, _, text in _LITERALS if isinstance(type_, kind)), "")
    return f"write {written}" if written else "write null, or correct the type"


def _whole(value: object, type_: t.LogicalType) -> bool:
    bits = getattr(type_, "BITS", 64)
    limit = 2 ** (bits - 1)
    if isinstance(value, str):
        if not re.fullmatch(r"[+-]?[0-9]{1,30}", value):
            return False
        value = int(value)
    return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


def _number(value: Any, type_: t.LogicalType) -> bool:
    if isinstance(value, bool):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _decimal(value: object, type_: t.LogicalType) -> bool:
    assert isinstance(type_, t.DecimalType)
    if isinstance(value, bool):
        return False
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return False
    if not number.is_finite():
        return False
    return len(str(abs(int(number)))) <= max(type_.precision - type_.scale, 1)


def _base64(value: Any, type_: t.LogicalType) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        return False
    return True


def _date(value: Any, type_: t.LogicalType) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool)
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?")


def _time(value: object, type_: t.LogicalType) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return 0 <= value < 86_400_000
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def _timestamp(value: object, type_: t.LogicalType) -> bool:
    if not isinstance(value, str):
        return False
    whole, _, fraction = value.removesuffix("Z").replace("T", " ").partition(".")
    if fraction and not re.fullmatch(r"[0-9]{1,9}", fraction):
        return False
    try:
        datetime.fromisoformat(whole if whole.count(":") == 2 else f"{whole}:00")
    except ValueError:
        return False
    return True


_NUMBER = "a number that the type can hold"
#: Type, check of a value, and its notation.
_LITERALS: tuple[tuple[type[t.LogicalType], Callable[[object, t.LogicalType], bool], str], ...] = (
    (t.BooleanType, lambda value, type_: isinstance(value, bool), "true or false"),
    (t.IntegerType, _whole, "a whole number of the type's range"),
    (t.IntervalType, _whole, "a whole number of milliseconds or months"),
    (t.DecimalType, _decimal, _NUMBER),
    (t.NumericType, _number, _NUMBER),
    (t.CharacterType, lambda value, type_: isinstance(value, str), "a text"),
    (t.BytesType, _base64, "base64"),
    (t.DateType, _date, "a date, such as 2024-01-31"),
    (t.TimeType, _time, "a time, such as 12:30:00"),
    (t.TimestampBase, _timestamp, "a timestamp, such as 2024-01-31T12:30:00"),
)


def literal_value(rex: Literal) -> object:
    """Convert a literal to a Python value; dates, times and intervals stay text, as in the plan."""
    value = rex.value
    if value is None or isinstance(value, bool):
        return value
    match rex.type:
        case t.IntegerType():
            return int(value)
        case t.DecimalType():
            return Decimal(str(value))
        case t.NumericType():
            return float(value)
        case t.BytesType():
            return base64.b64decode(str(value))
    return value
