"""Injective casts: different values stay different, so that a key stays a key.

Source: the keys in Flink's plans. Flink also keeps keys in casts of TIMESTAMP_LTZ to local times and texts, and of
TIMESTAMP to TIMESTAMP_LTZ, in which a change of clocks makes values equal; here they end a key.
"""

from __future__ import annotations

from compiled_plan.plans.types import (
    BooleanType,
    CharacterType,
    CharType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LogicalType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)

_LONGEST = 2**31 - 1
#: The largest number of bytes of a character in UTF-8.
_BYTES = 4


def is_injective(source: LogicalType, target: LogicalType) -> bool:
    """Return True if a cast between two types gives different results for different values."""
    if source.not_null() == target.not_null():
        return True
    if isinstance(source, IntegerType) and isinstance(target, IntegerType):
        return target.BITS >= source.BITS
    if isinstance(target, VarBinaryType):
        return isinstance(source, CharacterType) and target.length >= min(source.length * _BYTES, _LONGEST)
    if isinstance(target, CharacterType):
        if isinstance(source, VarCharType) and isinstance(target, CharType):
            return False
        width = _width(source)
        return width is not None and target.length >= width
    return False


def _width(type_: LogicalType) -> int | None:
    """The length of the longest text of a type's values; None if different values may have one text."""
    match type_:
        case CharacterType():
            return type_.length
        case IntegerType():
            return len(str(-(2 ** (type_.BITS - 1))))
        case BooleanType():
            return len("FALSE")
        case DateType():
            return len("2000-01-01")
        case TimeType():
            return len("00:00:00") + _digits(type_.precision)
        case TimestampType():
            return len("2000-01-01 00:00:00") + _digits(type_.precision)
        case FloatType():
            return len("-1.17549435E-38")
        case DoubleType():
            return len("-2.2250738585072014E-308")
    return None


def _digits(precision: int) -> int:
    return precision + 1 if precision else 0
