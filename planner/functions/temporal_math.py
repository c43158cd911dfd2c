"""Addition and subtraction of intervals, and differences of points in time.

Source: Flink 2.3's plans: `ts + INTERVAL '1' DAY` is a `$+$1` of syntax SPECIAL (BINARY for TIMESTAMP_LTZ), and
TIMESTAMPADD and TIMESTAMPDIFF are expanded into interval arithmetic.
"""

from __future__ import annotations

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import whole_units
from compiled_plan.planner.functions.signatures import DATETIME, INTERVAL, Form, Operands, any_nullable, form
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    INT,
    DateType,
    IntervalType,
    LogicalType,
    TimestampLtzType,
    TimestampType,
)


def temporal_forms(*, reversible: bool = False) -> tuple[Form, ...]:
    """The forms of time plus (or minus) interval."""
    return (form(DATETIME, INTERVAL), *((form(INTERVAL, DATETIME),) if reversible else ()))


def plus_time(operands: Operands) -> RexNode | None:
    """Point in time plus interval, in either order; None if neither operand is a point in time."""
    left, right = operands
    if isinstance(type_of(left), IntervalType) and not isinstance(type_of(right), IntervalType):
        left, right = right, left
    if not _is_time(left) or not isinstance(type_of(right), IntervalType):
        return None
    return _shifted("$+$1", left, right)


def minus_time(operands: Operands) -> RexNode | None:
    """Point in time minus interval; None if the first operand is not a point in time."""
    left, right = operands
    return _shifted("$-$1", left, right) if _is_time(left) else None


def _is_time(rex: RexNode) -> bool:
    return DATETIME.accepts(rex)


def _shifted(name: str, point: RexNode, interval: RexNode, type_: LogicalType | None = None) -> Call:
    of = (type_ or type_of(point)).as_regular()
    syntax = "BINARY" if isinstance(of, TimestampLtzType) and type_ is None else "SPECIAL"
    return Call(name, (point, interval), of.with_nullability(any_nullable((point, interval))), syntax)


def unit_of(symbol: RexNode) -> str:
    if not (isinstance(symbol, Literal) and isinstance(symbol.value, str)):
        raise ProgramError("a time unit was expected", remedy="write YEAR, MONTH, DAY, HOUR, MINUTE or SECOND")
    return symbol.value.upper().removeprefix("SQL_TSI_")


#: Unit -> the interval unit that represents it, and the factor.
_COUNTED = {
    "MILLISECOND": ("SECOND", 1),
    "SECOND": ("SECOND", 1_000),
    "MINUTE": ("MINUTE", 60_000),
    "HOUR": ("HOUR", 3_600_000),
    "DAY": ("DAY", 86_400_000),
    "WEEK": ("DAY", 604_800_000),
    "MONTH": ("MONTH", 1),
    "QUARTER": ("MONTH", 3),
    "YEAR": ("YEAR", 12),
}


def _known(unit: str, function: str) -> tuple[str, int]:
    counted = _COUNTED.get(unit)
    if counted is None:
        raise ProgramError(f"{function} does not know the unit {unit}", remedy=f"known: {', '.join(_COUNTED)}")
    return counted


def timestamp_add(operands: Operands) -> RexNode:
    symbol, count, point = operands
    unit = unit_of(symbol)
    held, size = _known(unit, "TIMESTAMPADD")
    type_ = plan_literals.interval_type(held)
    interval: RexNode
    if isinstance(count, Literal) and isinstance(count.value, int):
        interval = Literal(str(count.value * size), type_)
    else:
        product = type_.with_nullability(any_nullable((count,)))
        interval = Call("$*$1", (Literal(str(size), type_), count), product, "BINARY")
    result = type_of(point)
    if isinstance(result, DateType) and held in ("HOUR", "MINUTE", "SECOND"):
        result = TimestampType(precision=6)
    return _shifted("$+$1", point, interval, result)


def difference(points: Operands, type_: IntervalType) -> RexNode:
    """The interval from the second point in time to the first.

    Raises:
        ProgramError: an operand is not a point in time.
    """
    for point in points:
        if not _is_time(point):
            raise ProgramError(
                f"there is no interval between points of type {', '.join(str(type_of(rex)) for rex in points)}",
                remedy="subtract dates, times or timestamps",
            )
    return Call("$-$1", points, type_.with_nullability(any_nullable(points)), "SPECIAL")


def timestamp_diff(operands: Operands) -> RexNode:
    """TIMESTAMPDIFF(unit, from, to): whole units from the first point to the second."""
    symbol, start, end = operands
    unit = unit_of(symbol)
    held, size = _known(unit, "TIMESTAMPDIFF")
    if unit in ("WEEK", "MILLISECOND"):
        held, size = "SECOND", 1_000
    elif unit == "QUARTER":
        size = 1
    whole = INT.with_nullability(any_nullable((start, end)))
    gap = difference((end, start), plan_literals.interval_type(held))
    count = Call("$CAST$1", (whole_units(gap, size),), whole, "SPECIAL")
    if unit == "MILLISECOND":
        return Call("$*$1", (count, plan_literals.integer(1_000)), whole, "BINARY")
    again = {"WEEK": 604_800, "QUARTER": 3}.get(unit)
    return count if again is None else Call("$/INT$1", (count, plan_literals.integer(again)), whole, "BINARY")
