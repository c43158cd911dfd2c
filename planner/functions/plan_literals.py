"""Literals in the form of plans.

Source: the literals of Flink 2.3's plans: integers are JSON numbers, decimals and approximate numbers text,
intervals text in milliseconds or months, dates and times text, bytes base64.
"""

from __future__ import annotations

import base64
import datetime
import re
from decimal import Decimal, InvalidOperation

from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NULL,
    BinaryType,
    CharType,
    DayTimeIntervalType,
    DecimalType,
    IntervalType,
    LogicalType,
    SymbolType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    intervals,
)

MAX_DECIMAL_PRECISION = 38

#: Milliseconds of a unit.
MILLIS = {"WEEK": 604_800_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
#: Months of a unit.
MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}

_DAY_TIME = ("DAY", "HOUR", "MINUTE", "SECOND")


def integer(value: int) -> Literal:
    """An integer: INT, or BIGINT if it does not fit.

    Raises:
        ProgramError: larger than BIGINT.
    """
    if -(2**31) <= value < 2**31:
        return Literal(value, INT.not_null())
    if -(2**63) <= value < 2**63:
        return Literal(value, BIGINT.not_null())
    raise ProgramError(
        f"numeric literal {value} is out of range", remedy=f"write it as a decimal: CAST('{value}' AS DECIMAL(38, 0))"
    )


def decimal(text: str) -> Literal:
    """`1.5` as DECIMAL(2, 1) NOT NULL; `.5` as DECIMAL(1, 1)."""
    digits = text.lstrip("+-").replace(".", "", 1)
    scale = len(text.split(".", 1)[1]) if "." in text else 0
    value = Decimal(text)
    precision = max(len(digits), scale, 1)
    if precision > MAX_DECIMAL_PRECISION:
        raise ProgramError(f"numeric literal {text} has more than {MAX_DECIMAL_PRECISION} digits")
    return Literal(format(value, "f"), DecimalType(precision=precision, scale=scale, nullable=False))


def double(text: str) -> Literal:
    """`1e0` as DOUBLE NOT NULL; in plans without exponent."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ProgramError(f"not a number: {text!r}") from None
    return Literal(format(value, "f"), DOUBLE.not_null())


def number(text: str) -> Literal:
    """A number in SQL syntax: integer, decimal, or with exponent."""
    if "e" in text.lower():
        return double(text)
    return decimal(text) if "." in text else integer(int(text))


def string(text: str) -> Literal:
    """A text as CHAR(n) NOT NULL; n counts UTF-16 code units and may be 0."""
    length = sum(2 if ord(char) > 0xFFFF else 1 for char in text)
    return Literal(text, CharType(length=length, nullable=False))


def boolean(value: bool) -> Literal:
    return Literal(value, BOOLEAN.not_null())


def null(type_: LogicalType | None = None) -> Literal:
    """NULL, by default of the NULL type."""
    return Literal(None, (type_ or NULL).with_nullability(True))


def binary(hexadecimal: str) -> Literal:
    """`x'4142'` as BINARY(2) NOT NULL, from the text between the quotes."""
    try:
        data = bytes.fromhex(hexadecimal)
    except ValueError:
        raise ProgramError(f"not a binary literal: x'{hexadecimal}'", remedy="write pairs of hex digits") from None
    return Literal(base64.b64encode(data).decode("ascii"), BinaryType(length=len(data), nullable=False))


def date(text: str) -> Literal:
    if not re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", text):
        raise ProgramError(f"not a date: {text!r}", remedy="write DATE 'yyyy-MM-dd'")
    try:
        value = datetime.date(*map(int, text.split("-")))
    except ValueError as fault:
        raise ProgramError(f"not a date: {text!r} ({fault})", remedy="write DATE 'yyyy-MM-dd'") from None
    return Literal(value.isoformat(), DATE.not_null())


def time(text: str) -> Literal:
    """`TIME '12:00:00'`; the precision is that of the text."""
    clock, precision = _clock(text, "a time", "TIME 'HH:mm:ss'")
    return Literal(clock, TimeType(precision=precision, nullable=False))


def timestamp(text: str) -> Literal:
    """`TIMESTAMP '2020-01-31 12:00:00.123'`; the precision is that of the text."""
    form = "TIMESTAMP 'yyyy-MM-dd HH:mm:ss'"
    day, _, clock = text.strip().partition(" ")
    if not clock:
        raise ProgramError(f"not a timestamp: {text!r}", remedy=f"write {form}")
    try:
        day = str(date(day).value)
    except ProgramError:
        raise ProgramError(f"not a timestamp: {text!r}", remedy=f"write {form}") from None
    clock, precision = _clock(clock, "a timestamp", form)
    return Literal(f"{day} {clock}", TimestampType(precision=precision, nullable=False))


def _clock(text: str, kind: str, form: str) -> tuple[str, int]:
    match = re.fullmatch(r"(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?", text.strip())
    if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3]) > 59:
        raise ProgramError(f"not {kind}: {text!r}", remedy=f"write {form}")
    fraction = match[4] or ""
    clock = f"{int(match[1]):02}:{match[2]}:{match[3]}"
    shown = fraction.rstrip("0")
    return (f"{clock}.{shown}" if shown else clock), len(fraction)


def interval(text: str, resolution: str) -> Literal:
    """`INTERVAL '1' DAY`: the text between the quotes, and the qualifier (`DAY TO SECOND(3)`, `YEAR(4)`).

    The text may have a sign. The value is text, in milliseconds or months.

    Raises:
        ProgramError: unknown unit, or a text that does not fit the unit.
    """
    type_ = interval_type(resolution)
    start, end = _units(resolution)
    fault = ProgramError(f"INTERVAL '{text}' {resolution}: the text does not fit the unit", remedy=_FORMS)
    body = text.strip()
    sign = -1 if body.startswith("-") else 1
    body = body.lstrip("+-")
    _check_digits(body, resolution, start, fault)
    if start == end:
        if not re.fullmatch(r"\d+(\.\d+)?" if start == "SECOND" else r"\d+", body):
            raise fault
        if start in MONTHS:
            return Literal(str(sign * int(body) * MONTHS[start]), type_)
        millis = int(Decimal(body) * MILLIS[start])
        return Literal(str(sign * millis), type_)
    if start in MONTHS:
        match = re.fullmatch(r"(\d+)-(\d{1,2})", body)
        if match is None or int(match[2]) > 11:
            raise fault
        return Literal(str(sign * (int(match[1]) * 12 + int(match[2]))), type_)
    return Literal(str(sign * _day_time(body, start, end, fault)), type_)


def _check_digits(body: str, resolution: str, start: str, fault: ProgramError) -> None:
    """Check the digits of the first field (default 2) and of the fraction of a second (default 6)."""
    lead, fraction = _precisions(resolution)
    whole, _, behind = body.partition(".")
    first = re.match(r"\d+", whole)
    if first and int(first[0]) >= 10 ** int(lead):
        raise ProgramError(
            f"interval field value {first[0]} exceeds precision of {start}({lead}) field",
            remedy=f"write {start}({len(first[0])})",
        )
    if len(behind) > int(fraction):
        raise fault


_FORMS = "for example INTERVAL '1' DAY, INTERVAL '1.5' SECOND, INTERVAL '1 10:00:00' DAY TO SECOND"


#: Exclusive upper bounds of the fields after the first.
_BELOW = {"HOUR": 24, "MINUTE": 60, "SECOND": 60}


def _day_time(body: str, start: str, end: str, fault: ProgramError) -> int:
    units = _DAY_TIME[_DAY_TIME.index(start) : _DAY_TIME.index(end) + 1]
    pattern = {"DAY": r"(\d+)", "HOUR": r"(\d+)", "MINUTE": r"(\d+)", "SECOND": r"(\d+(?:\.\d+)?)"}
    text = pattern[units[0]]
    for unit in units[1:]:
        text += (" " if unit == "HOUR" else ":") + pattern[unit]
    match = re.fullmatch(text, body)
    if match is None:
        raise fault
    amounts = {unit: Decimal(part) for part, unit in zip(match.groups(), units, strict=True)}
    if any(amounts[unit] >= _BELOW[unit] for unit in units[1:]):
        raise fault
    return int(sum(amount * MILLIS[unit] for unit, amount in amounts.items()))


def _units(resolution: str) -> tuple[str, str]:
    parts = [part.split("(")[0].strip() for part in resolution.upper().split(" TO ")]
    known = (*MONTHS, *MILLIS)
    units = [part[:-1] if part.endswith("S") and part[:-1] in known else part for part in parts]
    if len(units) > 2 or any(unit not in known for unit in units):
        raise ProgramError(f"unknown interval unit {resolution!r}", remedy=f"known: {', '.join(known)}")
    return units[0], units[-1]


def unit_length(type_: IntervalType) -> int:
    """Milliseconds or months of the last unit of an interval type."""
    return {**MILLIS, **MONTHS}[_units(type_.resolution)[1]]


def _precisions(resolution: str) -> tuple[str, str]:
    """The digits of the first field and of the fraction of a second: `DAY(3) TO SECOND(1)`, `SECOND(2, 3)`."""
    first, *last = [re.findall(r"\d+", part) for part in resolution.upper().split(" TO ")]
    fraction = last[0] if last else first[1:]
    return (first[0] if first else "2"), (fraction[0] if fraction else "6")


def interval_type(resolution: str) -> IntervalType:
    """The type of an interval qualifier, NOT NULL, with Flink's default precisions.

    WEEK is represented as DAY and QUARTER as MONTH, as in Flink.
    """
    start, end = ({"WEEK": "DAY", "QUARTER": "MONTH"}.get(unit, unit) for unit in _units(resolution))
    lead, fraction = map(int, _precisions(resolution))
    for field, digits, most in (("leading field", lead, 10), ("fractional second", fraction, 9)):
        if not 1 <= digits <= most:
            raise ProgramError(
                f"interval {field} precision {digits} is out of range for INTERVAL {resolution}",
                remedy=f"write a number from 1 to {most}",
            )
    try:
        text = intervals.resolution(start, None if end == start else end, lead, fraction)
    except PlanError as fault:
        raise ProgramError(fault.message, remedy=fault.remedy) from None
    make = YearMonthIntervalType if start in MONTHS else DayTimeIntervalType
    return make(resolution=text, nullable=False)


def symbol(enum: str, value: str) -> Literal:
    """A keyword of the SQL syntax: its enum in plans (`TIME_UNIT_RANGE`, `TRIM`) and its value."""
    return Literal(value, SymbolType(nullable=False), enum)


def time_unit(unit: str) -> Literal:
    """YEAR, MONTH, DAY, HOUR, ... as a symbol."""
    return symbol("TIME_UNIT_RANGE", unit.upper())


def trim_flag(flag: str) -> Literal:
    """BOTH, LEADING or TRAILING as a symbol."""
    return symbol("TRIM", flag.upper())
