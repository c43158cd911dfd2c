"""Constant conversion of literals to other types, if the result is certain.

Source: Flink 2.3's constant folding as visible in plans (`CAST(1.5 AS INT)` is 1, `CAST('abc' AS CHAR(5))` is padded).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation

from compiled_plan.planner.functions import plan_literals
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types import (
    BooleanType,
    BytesType,
    CharacterType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    IntervalType,
    LogicalType,
    NumericType,
    SymbolType,
    TimestampType,
    TimeType,
    VarBinaryType,
)


def convert(literal: Literal, target: LogicalType) -> Literal | None:
    """The literal as a value of `target`; None if the conversion is deferred to run time.

    Errors (`CAST('x' AS INT)`) are deferred too. The result's nullability is that of `target`.
    """
    if literal.symbol is not None or isinstance(literal.type, SymbolType):
        return None
    if literal.value is None:
        return Literal(None, target.with_nullability(True))
    match literal.type, target:
        case NumericType(), NumericType():
            return _number(literal, target)
        case CharacterType(), CharacterType():
            return _text(str(literal.value), target)
        case BytesType(), VarBinaryType() if literal.type.length <= target.length:
            return replace(literal, type=target)
        case CharacterType(), NumericType() | BooleanType() | DateType() | TimeType() | TimestampType():
            return _parsed(str(literal.value).strip(), target)
        case ((IntegerType() | DecimalType()), CharacterType()):
            return _text(str(literal.value), target)
        case BooleanType(), CharacterType():
            return _text("TRUE" if literal.value else "FALSE", target)
        case ((DateType() | TimestampType()), CharacterType()):
            return _instant_text(literal, target)
        case DateType(), TimestampType():
            return Literal(f"{literal.value} 00:00:00", target)
        case BooleanType(), IntegerType() | DecimalType():
            return _number(plan_literals.integer(int(bool(literal.value))), target)
        case IntegerType(), BooleanType():
            return Literal(literal.value != 0, target)
        case IntervalType(), IntegerType() | DecimalType():
            units = Decimal(str(literal.value)) / plan_literals.unit_length(literal.type)
            return _number(plan_literals.integer(int(units.to_integral_value(ROUND_HALF_UP))), target)
        case TimestampType(), TimestampType() if target.precision >= literal.type.precision:
            return replace(literal, type=target)
    return None


def number_of(literal: Literal) -> Decimal | None:
    """The value of a numeric literal; None for NULL and other types."""
    if literal.value is None or isinstance(literal.value, bool) or not isinstance(literal.type, NumericType):
        return None
    return Decimal(str(literal.value))


def _number(literal: Literal, target: LogicalType) -> Literal | None:
    value = number_of(literal)
    if value is None:
        return None
    match target:
        case IntegerType():
            whole = int(value.to_integral_value(ROUND_DOWN))
            limit = 2 ** (target.BITS - 1)
            if not -limit <= whole < limit:
                return None
            return Literal(whole, target)
        case DecimalType():
            rounded = value.quantize(Decimal(1).scaleb(-target.scale), ROUND_HALF_UP)
            if len(rounded.as_tuple().digits) - target.scale > target.precision - target.scale:
                return None
            # a value with fewer decimals keeps its text, as in plans
            exponent = value.as_tuple().exponent
            number = value if isinstance(exponent, int) and -exponent <= target.scale else rounded
            return Literal(format(number, "f"), target)
        case FloatType() | DoubleType():
            return Literal(format(value, "f"), target)
    return None


def _text(text: str, target: LogicalType) -> Literal | None:
    if not isinstance(target, CharacterType) or any(ord(char) > 0xFFFF for char in text):
        return None
    text = text[: target.length]
    if isinstance(target, CharType):
        text = text.ljust(target.length)
    return Literal(text, target)


def _parsed(text: str, target: LogicalType) -> Literal | None:
    try:
        match target:
            case BooleanType():
                known = {"true": True, "false": False}.get(text.lower())
                return None if known is None else Literal(known, target)
            case DateType():
                return Literal(plan_literals.date(text).value, target)
            case TimeType():
                time = plan_literals.time(text)
                own_precision = time.type.precision if isinstance(time.type, TimeType) else 0
                return Literal(time.value, target) if own_precision <= target.precision else None
            case TimestampType():
                # A date is its midnight.
                timestamp = plan_literals.timestamp(text if " " in text else f"{text} 00:00:00")
                own = timestamp.type
                fits = isinstance(own, TimestampType) and own.precision <= target.precision
                return Literal(timestamp.value, target) if fits else None
            case IntegerType():
                is_whole = text.isascii() and text.lstrip("+-").isdecimal()
                return _number(plan_literals.integer(int(text)), target) if is_whole else None
            case DecimalType():
                return _number(plan_literals.decimal(text), target) if text.lstrip("+-").isascii() else None
    except (ProgramError, ValueError, InvalidOperation):
        return None
    return None


def _instant_text(literal: Literal, target: LogicalType) -> Literal | None:
    text = str(literal.value)
    if isinstance(literal.type, TimestampType) and literal.type.precision:
        head, _, fraction = text.partition(".")
        text = f"{head}.{fraction.ljust(literal.type.precision, '0')}"
    return _text(text, target)
