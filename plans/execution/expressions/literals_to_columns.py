"""Constants of a plan as Spark literals."""

from __future__ import annotations

import base64
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

EPOCH = datetime(1970, 1, 1)


def literal_column(literal: r.Literal, context: ExpressionContext) -> Column:
    """The Spark literal of a constant, of exactly the Spark type of its logical type."""
    return value_column(literal.value, literal.type, context)


def value_column(value: object, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """Like `literal_column`, for a value from a plan's JSON (a bound of a range, a tuple of VALUES)."""
    if isinstance(type_, t.SymbolType):
        return F.lit(value)
    if value is None:
        return F.lit(None).cast(to_spark(type_))
    try:
        column = _read(value, type_)
    except (ValueError, ArithmeticError, TypeError) as fault:
        raise PlanError(f"constant {value!r} is not of type {type_}: {fault}", where=context.where) from None
    if column is None:
        raise context.unsupported(f"constants of type {type_} cannot be read")
    return column


def _read(value: Any, type_: t.LogicalType) -> Column | None:
    """The literal of a non-null value; None for a type without literals."""
    match type_:
        case t.BooleanType():
            return F.lit(value).cast(to_spark(type_))
        case t.DecimalType():
            return F.lit(str(Decimal(str(value)))).cast(to_spark(type_))
        case t.IntegerType() | t.IntervalType():
            return F.lit(int(value)).cast(to_spark(type_))
        case t.NumericType():
            return F.lit(float(value)).cast(to_spark(type_))
        case t.CharacterType():
            return F.lit(str(value))
        case t.BytesType():
            return F.lit(bytearray(base64.b64decode(value)))
        case t.DateType():
            day = value if isinstance(value, int) else (date.fromisoformat(value) - EPOCH.date()).days
            return F.date_from_unix_date(F.lit(day))
        case t.TimeType():
            return F.lit(value if isinstance(value, int) else millis_of_day(str(value)))
        case t.TimestampLtzType():
            # Plans write instants in UTC, whatever the session's time zone.
            return F.timestamp_micros(F.lit(micros_of(str(value).removesuffix("Z"))).cast("bigint"))
        case t.TimestampType():
            return F.timestamp_micros(F.lit(micros_of(str(value))).cast("bigint")).cast("timestamp_ntz")
    return None


def millis_of_day(text: str) -> int:
    """Milliseconds of a time of day, `10:30` or `10:30:00.123`."""
    clock, _dot, fraction = text.partition(".")
    hours, minutes, seconds = ([int(part) for part in clock.split(":")] + [0, 0])[:3]
    return (hours * 3600 + minutes * 60 + seconds) * 1000 + int((fraction + "000")[:3])


def micros_of(text: str) -> int:
    """Microseconds since 1970 of a date and time without zone; further digits are truncated."""
    seconds, _, fraction = text.replace("T", " ").partition(".")
    padded = seconds if seconds.count(":") == 2 else seconds + ":00"
    since = datetime.fromisoformat(padded) - EPOCH
    return since // timedelta(microseconds=1) + int((fraction + "000000")[:6])


def constant(rex: r.RexNode) -> Any:
    """The value of a literal operand from the plan's JSON; None if the operand is not a literal."""
    return rex.value if isinstance(rex, r.Literal) else None


def symbol(rex: r.RexNode) -> str:
    """The value of a symbol operand (a time unit, a JSON behaviour), upper case."""
    return str(constant(rex)).upper()
