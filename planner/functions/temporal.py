"""Dates, times, timestamps.

Source: Flink docs, "System (Built-in) Functions", temporal functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.arithmetic import floor_type
from compiled_plan.planner.functions.operators import all_of, compare
from compiled_plan.planner.functions.signatures import (
    DATETIME,
    INTERVAL,
    NUMBER,
    STAMP,
    SYMBOL,
    TEMPORAL,
    TEXT,
    WHOLE,
    Function,
    Operands,
    fixed,
    form,
    not_null,
    nullable,
)
from compiled_plan.planner.functions.temporal_math import plus_time, timestamp_add, timestamp_diff, unit_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    BIGINT,
    DATE,
    STRING,
    IntervalType,
    LogicalType,
    TimeKind,
    TimestampLtzType,
    TimestampType,
    TimeType,
)
from compiled_plan.plans.types.temporal import is_rowtime

_MILLIS = TimestampType(precision=3)
_ZONED = TimestampLtzType(precision=3)
_PROCTIME = TimestampLtzType(precision=3, kind=TimeKind.PROCTIME, nullable=False)

#: Function -> the unit that it extracts.
DATE_PARTS = {
    "YEAR": "YEAR",
    "QUARTER": "QUARTER",
    "MONTH": "MONTH",
    "WEEK": "WEEK",
    "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY",
    "DAYOFWEEK": "DOW",
    "HOUR": "HOUR",
    "MINUTE": "MINUTE",
    "SECOND": "SECOND",
}


def _extract_unit(unit: str) -> Callable[[Operands], Operands]:
    return lambda operands: (plan_literals.time_unit(unit), *operands)


#: Units of EXTRACT beyond those of FLOOR and CEIL.
_EXTRACTED = "EPOCH DOY DOW ISODOW ISOYEAR NANOSECOND"
_ROUNDED = "MILLENNIUM CENTURY DECADE YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND"


def _unit(symbol: RexNode, function: str, known: str) -> Literal:
    unit = unit_of(symbol)
    if unit not in known.split():
        raise ProgramError(f"{function} does not know the unit {unit}", remedy=f"known: {', '.join(known.split())}")
    return plan_literals.time_unit(unit)


def _extract(operands: Operands) -> Operands:
    return (_unit(operands[0], "EXTRACT", f"{_ROUNDED} {_EXTRACTED}"), *operands[1:])


def _floor(operands: Operands) -> Operands:
    if len(operands) == 1:
        return operands
    return (operands[0], _unit(operands[1], "FLOOR and CEIL", _ROUNDED))


def _floor_type(operands: Operands) -> LogicalType:
    if len(operands) == 1:
        return floor_type(operands)
    type_ = type_of(operands[0])
    return type_.as_regular()


def _overlaps(operands: Operands) -> RexNode:
    """(start, end or length) OVERLAPS (start, end or length), expanded as in Flink."""

    def end(start: RexNode, end_or_length: RexNode) -> RexNode:
        if not isinstance(type_of(end_or_length), IntervalType):
            return end_or_length
        return plus_time((start, end_or_length)) or end_or_length

    first_start, first_end = operands[0], end(operands[0], operands[1])
    second_start, second_end = operands[2], end(operands[2], operands[3])

    def ordered(low: RexNode, high: RexNode) -> tuple[RexNode, RexNode]:
        if low == high:
            return low, high
        known = compare("<=", low, high)
        type_ = type_of(low).with_nullability(True)
        first = Call("$CASE$1", (known, low, high), type_, "SPECIAL")
        last = Call("$CASE$1", (known, high, low), type_, "SPECIAL")
        return first, last

    first_start, first_end = ordered(first_start, first_end)
    second_start, second_end = ordered(second_start, second_end)
    return all_of((compare(">=", first_end, second_start), compare(">=", second_end, first_start)))


def _current_watermark(operands: Operands) -> LogicalType:
    type_ = type_of(operands[0])
    if not (is_rowtime(type_)):
        raise ProgramError(
            f"the argument of CURRENT_WATERMARK must be a rowtime attribute, it is of type {type_}",
            remedy="use the column that the table declares a WATERMARK for",
        )
    return replace(type_.as_regular(), nullable=True)


def _clock(name: str, type_: LogicalType) -> Function:
    """A function without parentheses; never folded, since its value depends on the run or the row."""
    return Function(name, (form(),), not_null(type_), syntax="FUNCTION_ID", deterministic=False)


def _instant_type(operands: Operands) -> LogicalType:
    """A TIMESTAMP_LTZ of the precision of a literal, or of the fraction at the end of a literal pattern; at least 3."""
    match operands:
        case (_, Literal(value=int(digits)), *_):
            pass
        case (_, Literal(value=str(pattern)), *_):
            digits = len(pattern) - len(pattern.rstrip("S"))
        case _:
            digits = 0
    return TimestampLtzType(precision=max(_ZONED.precision, digits))


_FLOOR_FORMS = (form(NUMBER), form(INTERVAL), form(DATETIME, SYMBOL))
_FORMATTED = (form(TEXT), form(TEXT, TEXT))

FUNCTIONS: tuple[Function, ...] = (
    _clock("CURRENT_DATE", DATE),
    _clock("CURRENT_TIME", TimeType(precision=0)),
    _clock("CURRENT_TIMESTAMP", _ZONED),
    _clock("LOCALTIME", TimeType(precision=0)),
    _clock("LOCALTIMESTAMP", _MILLIS),
    Function("NOW", (form(),), not_null(_ZONED), deterministic=False),
    Function("CURRENT_ROW_TIMESTAMP", (form(),), not_null(_ZONED), deterministic=False),
    Function("PROCTIME", (form(),), not_null(_PROCTIME), deterministic=False, keeps_time=True).api(
        "proctime()",
        "PROCTIME().",
        '>>> items.select(cp.proctime().alias("x"))',
        "Table(x TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*)",
    ),
    Function("PROCTIME_MATERIALIZE", (form(STAMP),), fixed(_ZONED), deterministic=False),
    Function("SOURCE_WATERMARK", (form(),), nullable(_ZONED), deterministic=False),
    Function("CURRENT_WATERMARK", (form(STAMP),), _current_watermark, deterministic=False).api(
        "current_watermark(rowtimeAttribute)",
        "CURRENT_WATERMARK of a rowtime column.",
        ">>> env = cp.TableEnvironment()",
        ">>> _ = env.execute_sql('''",
        "...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')",
        "... ''')",
        '>>> env.from_path("bids").select(cp.current_watermark(cp.col("ts")).alias("x"))',
        "Table(x TIMESTAMP(3))",
    ),
    Function("UNIX_TIMESTAMP", (form(), *_FORMATTED), fixed(BIGINT)).api(
        "unix_timestamp(date_str=None, format=None)",
        "UNIX_TIMESTAMP: seconds since 1970, current or of a text.",
        '>>> items.select(cp.unix_timestamp("2024-02-29", "yyyy-MM-dd").alias("x"))',
        "Table(x BIGINT NOT NULL)",
    ),
    *(
        Function(name, (form(TEMPORAL),), fixed(BIGINT), "$EXTRACT$1", prepare=_extract_unit(unit))
        for name, unit in DATE_PARTS.items()
    ),
    Function("EXTRACT", (form(SYMBOL, TEMPORAL),), fixed(BIGINT), prepare=_extract),
    Function("FLOOR", _FLOOR_FORMS, _floor_type, prepare=_floor),
    Function("CEIL", _FLOOR_FORMS, _floor_type, prepare=_floor, aliases=("CEILING",)),
    Function("DATE_FORMAT", (form(STAMP, TEXT), form(TEXT, TEXT)), nullable(STRING))
    .api("x.date_format(pattern)", "DATE_FORMAT with a pattern such as yyyy-MM-dd.")
    .api(
        "date_format(timestamp, format)",
        "DATE_FORMAT with a pattern such as yyyy-MM-dd.",
        '>>> items.select(cp.date_format(cp.current_timestamp(), "yyyy-MM-dd").alias("x"))',
        "Table(x STRING)",
    ),
    Function("TO_DATE", _FORMATTED, nullable(DATE)).api(
        "to_date(date_str, format=None)",
        "TO_DATE of a text, with a pattern (default yyyy-MM-dd).",
        '>>> items.select(cp.to_date("2024-02-29").alias("x"))',
        "Table(x DATE)",
    ),
    Function("TO_TIMESTAMP", _FORMATTED, nullable(_MILLIS)).api(
        "to_timestamp(timestamp_str, format=None)",
        "TO_TIMESTAMP of a text, with a pattern (default yyyy-MM-dd HH:mm:ss).",
        '>>> items.select(cp.to_timestamp("2024-02-29 12:00:00").alias("x"))',
        "Table(x TIMESTAMP(3))",
    ),
    Function(
        "TO_TIMESTAMP_LTZ",
        (form(NUMBER), form(NUMBER, WHOLE), *_FORMATTED, form(TEXT, TEXT, TEXT)),
        _instant_type,
    ).api(
        "to_timestamp_ltz(epoch, precision=3)",
        "TO_TIMESTAMP_LTZ of seconds (precision 0) to nanoseconds (9) since 1970.",
        '>>> items.select(cp.to_timestamp_ltz(1709208000, 0).alias("x"))',
        "Table(x TIMESTAMP_LTZ(3))",
    ),
    Function("FROM_UNIXTIME", (form(WHOLE), form(WHOLE, TEXT)), nullable(STRING)).api(
        "from_unixtime(unixtime, format=None)",
        "FROM_UNIXTIME: seconds since 1970 as text.",
        '>>> items.select(cp.from_unixtime(1709208000).alias("x"))',
        "Table(x STRING)",
    ),
    Function("CONVERT_TZ", (form(TEXT, TEXT, TEXT),), nullable(STRING)).api(
        "convert_tz(date_str, tz_from, tz_to)",
        "CONVERT_TZ: a timestamp's text converted between time zones.",
        '>>> items.select(cp.convert_tz("2024-02-29 12:00:00", "UTC", "Asia/Tokyo").alias("x"))',
        "Table(x STRING)",
    ),
    Function("TIMESTAMPADD", (form(SYMBOL, WHOLE, DATETIME),), rewrite=timestamp_add),
    Function("TIMESTAMPDIFF", (form(SYMBOL, DATETIME, DATETIME),), rewrite=timestamp_diff),
    Function(
        "OVERLAPS",
        (
            form(DATETIME, DATETIME, DATETIME, DATETIME),
            form(DATETIME, INTERVAL, DATETIME, INTERVAL),
            form(DATETIME, DATETIME, DATETIME, INTERVAL),
            form(DATETIME, INTERVAL, DATETIME, DATETIME),
        ),
        rewrite=_overlaps,
    ),
)
