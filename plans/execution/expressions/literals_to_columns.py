"""Constants of a plan as Spark literals."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext

_EPOCH = datetime(1970, 1, 1)


def literal_column(literal: r.Literal, context: ExpressionContext) -> Column:
    """The Spark literal of a constant, of exactly the Spark type of its logical type."""
    return value_column(literal.value, literal.type, context)


def value_column(value: Any, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """As `literal_column`, for a value as a plan's JSON writes it (a bound of a range, a tuple of VALUES)."""
    if isinstance(type_, t.SymbolType):
        return F.lit(value)
    if value is None:
        return F.lit(None).cast(to_spark(type_))
    reader = next((found for kind, found in _READERS if isinstance(type_, kind)), None)
    if reader is None:
        raise context.unsupported(f"constants of type {type_} cannot be read")
    try:
        return reader(value, type_, context)
    except (ValueError, ArithmeticError, TypeError) as fault:
        raise PlanError(f"constant {value!r} is not of type {type_}: {fault}", where=context.where) from None


def constant(rex: r.RexNode) -> Any:
    """The value of a literal operand, as in the plan's JSON; None when the operand is not a literal."""
    return rex.value if isinstance(rex, r.Literal) else None


def symbol(rex: r.RexNode) -> str:
    """The value of a symbol operand (a time unit, a JSON behaviour), upper case."""
    return str(constant(rex)).upper()


def _cast(value: Any, type_: t.LogicalType, _: ExpressionContext) -> Column:
    return F.lit(value).cast(to_spark(type_))


def _number(value: Any, type_: t.LogicalType, _: ExpressionContext) -> Column:
    whole = isinstance(type_, t.IntegerType | t.IntervalType | t.TimeType)
    return F.lit(int(value) if whole else float(value)).cast(to_spark(type_))


def _decimal(value: Any, type_: t.LogicalType, _: ExpressionContext) -> Column:
    return F.lit(str(Decimal(str(value)))).cast(to_spark(type_))


def _char(value: Any, type_: t.LogicalType, _: ExpressionContext) -> Column:
    return F.lit(str(value))


def _bytes(value: Any, _: t.LogicalType, __: ExpressionContext) -> Column:
    return F.lit(bytearray(base64.b64decode(value)))


def _date(value: Any, _: t.LogicalType, __: ExpressionContext) -> Column:
    day = value if isinstance(value, int) else (date.fromisoformat(value) - date(1970, 1, 1)).days
    return F.date_from_unix_date(F.lit(day))


def _time(value: Any, _: t.LogicalType, __: ExpressionContext) -> Column:
    if isinstance(value, int):
        return F.lit(value)
    clock, _dot, fraction = str(value).partition(".")
    hours, minutes, seconds = ([int(part) for part in clock.split(":")] + [0, 0])[:3]
    return F.lit((hours * 3600 + minutes * 60 + seconds) * 1000 + int((fraction + "000")[:3]))


def _micros(text: str) -> int:
    """Microseconds since 1970 of a date and time without zone; digits beyond micros are cut off."""
    whole, _, fraction = text.replace("T", " ").partition(".")
    padded = whole if whole.count(":") == 2 else whole + ":00"
    since = datetime.fromisoformat(padded) - _EPOCH
    return since // timedelta(microseconds=1) + int((fraction + "000000")[:6])


def _timestamp(value: Any, _: t.LogicalType, __: ExpressionContext) -> Column:
    return F.timestamp_micros(F.lit(_micros(str(value))).cast("bigint")).cast("timestamp_ntz")


def _timestamp_ltz(value: Any, _: t.LogicalType, __: ExpressionContext) -> Column:
    # Plans write points in time as UTC shows them, whatever the session's time zone.
    return F.timestamp_micros(F.lit(_micros(str(value).removesuffix("Z"))).cast("bigint"))


_Reader = Callable[[Any, t.LogicalType, "ExpressionContext"], "Column"]
_READERS: tuple[tuple[type[t.LogicalType], _Reader], ...] = (
    (t.BooleanType, _cast),
    (t.DecimalType, _decimal),
    (t.NumericType, _number),
    (t.IntervalType, _number),
    (t.CharacterType, _char),
    (t.BytesType, _bytes),
    (t.DateType, _date),
    (t.TimeType, _time),
    (t.TimestampLtzType, _timestamp_ltz),
    (t.TimestampType, _timestamp),
)
