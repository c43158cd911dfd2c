"""Arithmetic, parts and rounding of dates, times and timestamps.

A TIMESTAMP_LTZ is decomposed in the session's time zone. Flink 2.3 is wrong for instants before 1970 (it truncates
towards zero), and rounds some times up to a week or day that is not the next one; this module returns the right answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.context import is_time, operand_types
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import symbol
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import as_local, as_point, from_local, to_local
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.rex.operands import BELOW_A_DAY

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
_DAY = 86_400_000
"""Milliseconds."""


def micros_of(column: Column, type_: t.LogicalType) -> Column:
    """A date or timestamp as microseconds since 1970; for a TIMESTAMP_LTZ those of the instant."""
    if isinstance(type_, t.DateType):
        return F.unix_date(column).cast("bigint") * F.lit(_DAY * 1000)
    return F.unix_micros(as_point(column))


def time_arithmetic(sign: str, call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """+, -, * and / with a time or an interval as an operand."""
    types = operand_types(call)
    if len(args) == 1:
        return (-args[0]).cast(to_spark(call.type))
    if all(isinstance(type_, t.IntervalType) or not is_time(type_) for type_ in types):
        return _intervals(sign, call, args)
    if isinstance(call.type, t.IntervalType):
        return _difference(call, args, types)
    moment, step, step_type = (
        (args[1], args[0], types[0]) if isinstance(types[0], t.IntervalType) else (args[0], args[1], types[1])
    )
    moment_type = types[1] if isinstance(types[0], t.IntervalType) else types[0]
    return _moved(moment, moment_type, -step if sign == "-" else step, step_type, call.type)


def _intervals(sign: str, call: Call, args: tuple[Column, ...]) -> Column:
    left, right = args
    target = to_spark(call.type)
    if sign == "/":
        return F.call_function("div", left.cast("bigint"), right.cast("bigint")).cast(target)
    result = left + right if sign == "+" else left - right if sign == "-" else left * right
    return result.cast(target)


def _difference(call: Call, args: tuple[Column, ...], types: tuple[t.LogicalType, ...]) -> Column:
    if all(isinstance(type_, t.TimeType) for type_ in types):
        return (args[0] - args[1]).cast("bigint")
    left, right = (micros_of(arg, type_) for arg, type_ in zip(args, types, strict=True))
    if isinstance(call.type, t.YearMonthIntervalType):
        return java("MONTHS_BETWEEN", "int", left, right)
    # Milliseconds of each, then the difference, like Flink's timestamps of precision 3.
    return _millis(left) - _millis(right)


def _millis(micros: Column) -> Column:
    return F.call_function("div", micros - F.pmod(micros, F.lit(1000)), F.lit(1000))


def _moved(
    moment: Column, type_: t.LogicalType, step: Column, step_type: t.LogicalType, target: t.LogicalType
) -> Column:
    """`moment` plus an interval; one month after the 31st is the last day of the next month."""
    if isinstance(type_, t.TimeType):
        return F.pmod(moment + step, F.lit(_DAY)).cast("int")
    months = isinstance(step_type, t.YearMonthIntervalType)
    if isinstance(type_, t.DateType) and isinstance(target, t.DateType):
        if months:
            return F.add_months(moment, step)
        days = F.call_function("div", step, F.lit(_DAY))
        return F.date_from_unix_date((F.unix_date(moment) + days).cast("int"))
    spark_type = to_spark(target)
    if months:
        return F.timestamp_add("MONTH", step, moment.cast(spark_type))
    moved = F.timestamp_micros(micros_of(moment, type_) + step * 1000)
    return as_local(moved) if isinstance(target, t.TimestampType) else moved.cast(spark_type)


def _local(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """A date or timestamp as the TIMESTAMP shown by clocks in the session's zone."""
    if isinstance(type_, t.TimestampLtzType):
        return to_local(column, context.time_zone)
    return column.cast("timestamp_ntz")


_Part = Callable[["Column"], "Column"]
_PARTS: dict[str, _Part] = {
    "YEAR": F.year,
    "QUARTER": F.quarter,
    "MONTH": F.month,
    "WEEK": F.weekofyear,
    "DAY": F.dayofmonth,
    "DOY": F.dayofyear,
    "DOW": F.dayofweek,
    "ISODOW": lambda local: F.weekday(local) + 1,
    "ISOYEAR": lambda local: F.extract(F.lit("YEAROFWEEK"), local),
    "DECADE": lambda local: F.floor(F.year(local) / 10),
    "CENTURY": lambda local: F.ceil(F.year(local) / 100),
    "MILLENNIUM": lambda local: F.ceil(F.year(local) / 1000),
    "HOUR": F.hour,
    "MINUTE": F.minute,
    "SECOND": F.second,
    "MILLISECOND": lambda local: F.floor(F.pmod(F.unix_micros(local.cast("timestamp")), F.lit(1_000_000)) / 1000),
    "MICROSECOND": lambda local: F.pmod(F.unix_micros(local.cast("timestamp")), F.lit(1_000_000)),
    "NANOSECOND": lambda local: F.pmod(F.unix_micros(local.cast("timestamp")), F.lit(1_000_000)) * 1000,
}

_INTERVAL_PARTS: dict[str, tuple[int, int]] = {
    "DAY": (_DAY, 0),
    "HOUR": (3_600_000, 24),
    "MINUTE": (60_000, 60),
    "SECOND": (1000, 60),
    "MILLISECOND": (1, 1000),
    "EPOCH": (1000, 0),
}
_MONTH_PARTS: dict[str, tuple[int, int]] = {
    "YEAR": (12, 0),
    "MONTH": (1, 12),
    "CENTURY": (1_200, 0),
    "MILLENNIUM": (12_000, 0),
}


@translates("$EXTRACT$1", "$extract$1")
def _extract(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    unit, type_, value = symbol(call.operands[0]), r.type_of(call.operands[1]), args[1]
    target = to_spark(call.type)
    if isinstance(type_, t.IntervalType | t.TimeType):
        parts = _MONTH_PARTS if isinstance(type_, t.YearMonthIntervalType) else _INTERVAL_PARTS
        if unit == "QUARTER":
            # Flink counts the quarters of a year from 1, also those of no months.
            return (F.call_function("div", value.cast("bigint") % 12 - 1, F.lit(3)) + 1).cast(target)
        size, within = parts[unit]
        quotient = F.call_function("div", value.cast("bigint"), F.lit(size))
        return (quotient % within if within else quotient).cast(target)
    if unit == "EPOCH":
        # Flink: of the local time, for a TIMESTAMP_LTZ too.
        return F.unix_seconds(_local(value, type_, context).cast("timestamp")).cast(target)
    return _PARTS[unit](_local(value, type_, context)).cast(target)


@translates("$TIMESTAMPDIFF$1")
def _timestamp_diff(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """Whole units between two times; plans of Flink's Table API have this call, SQL plans its expansion."""
    start, end = (
        _local(value, r.type_of(rex), context).cast("timestamp")
        for value, rex in zip(args[1:], call.operands[1:], strict=True)
    )
    return F.timestamp_diff(symbol(call.operands[0]), start, end).cast(to_spark(call.type))


_TRUNC_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"})
_LONG_UNITS = {"DECADE": (10, 0), "CENTURY": (100, 1), "MILLENNIUM": (1000, 1)}
_TIME_UNITS = {"HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1000, "MILLISECOND": 1}


def floor_to_unit(name: str, call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """FLOOR or CEIL of a time to a unit; a week begins on Sunday."""
    unit, type_, value = symbol(call.operands[1]), r.type_of(call.operands[0]), args[0]
    if isinstance(type_, t.TimeType) and unit in _TIME_UNITS:
        size = F.lit(_TIME_UNITS[unit])
        raised = value + size - 1 if name == "CEIL" else value
        return (raised - F.pmod(raised, size)).cast("int")
    if isinstance(type_, t.DateType) and unit in BELOW_A_DAY:
        return value
    local = _local(value, type_, context)
    floored = _floored(local, unit)
    if name == "CEIL":
        floored = F.when(floored == local, local).otherwise(_next(floored, unit))
    if isinstance(type_, t.TimestampLtzType):
        return _shown_at(floored, value, local, context.time_zone)
    return floored.cast(to_spark(call.type))


def _shown_at(wanted: Column, point: Column, local: Column, time_zone: str) -> Column:
    """The instant at which clocks show `wanted`; of two, the one on the side of `point`, which shows as `local`."""
    moved = F.unix_micros(as_point(wanted)) - F.unix_micros(as_point(local))
    near = F.timestamp_micros(F.unix_micros(point) + moved)
    return F.when(to_local(near, time_zone) == wanted, near).otherwise(from_local(wanted, time_zone))


def _floored(local: Column, unit: str) -> Column:
    if unit in _TRUNC_UNITS:
        return F.date_trunc(unit, local).cast("timestamp_ntz")
    if unit == "WEEK":
        # Spark's weeks begin on Monday.
        return _days(F.date_trunc("WEEK", _days(local, 1)).cast("timestamp_ntz"), -1)
    if unit in _LONG_UNITS:
        size, first = _LONG_UNITS[unit]
        year = F.year(local) - first
        return F.make_date((year - F.pmod(year, F.lit(size)) + first).cast("int"), F.lit(1), F.lit(1)).cast(
            "timestamp_ntz"
        )
    assert unit in BELOW_A_DAY
    return local


def _days(local: Column, days: int) -> Column:
    return F.timestamp_add("DAY", F.lit(days), local)


def _next(local: Column, unit: str) -> Column:
    if unit in _LONG_UNITS:
        return F.timestamp_add("YEAR", F.lit(_LONG_UNITS[unit][0]), local)
    return F.timestamp_add("DAY", F.lit(7), local) if unit == "WEEK" else F.timestamp_add(unit, F.lit(1), local)


@translates("$PROCTIME$1", "$PROCTIME_MATERIALIZE$1", "$CURRENT_TIMESTAMP$1", "$NOW$1", "$CURRENT_ROW_TIMESTAMP$1")
def _now(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0] if args else context.now()


@translates("$CURRENT_WATERMARK$1")
def _current_watermark(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    assert context.current_watermark is not None
    return F.timestamp_millis(context.current_watermark).cast(to_spark(call.type))


@translates("$LOCALTIMESTAMP$1")
def _local_timestamp(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return to_local(context.now(), context.time_zone)


@translates("$CURRENT_DATE$1")
def _current_date(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return to_local(context.now(), context.time_zone).cast("date")


@translates("$CURRENT_TIME$1", "$LOCALTIME$1")
def _current_time(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    millis = F.unix_millis(to_local(context.now(), context.time_zone).cast("timestamp"))
    return F.pmod(millis, F.lit(_DAY)).cast("int")
