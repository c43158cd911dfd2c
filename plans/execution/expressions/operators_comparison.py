"""Comparisons, IN lists and ranges.

Flink compares doubles as Java does: NaN equals nothing, not even NaN, and -0.0 equals 0.0. Strings are compared by
bytes, CHAR including its padding. `=` and `<>` of a date or time and a text parse the text; an unparsable text gives
null. A boolean equals no text, not even 'true'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.arithmetic import as_decimal
from compiled_plan.plans.execution.expressions.casts import cast_column
from compiled_plan.plans.execution.expressions.context import operand_types
from compiled_plan.plans.execution.expressions.keys import value_text
from compiled_plan.plans.execution.expressions.literals_to_columns import value_column
from compiled_plan.plans.execution.expressions.operators_logic import balanced
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import from_local, to_local

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
translates.columns("$IN$1", "$in$1", apply=lambda value, *values: value.isin(*values))
translates.columns("$NOT IN$1", apply=lambda value, *values: ~value.isin(*values))

Comparison = Callable[["Column", "Column"], "Column"]

_FLOATING = (t.FloatType, t.DoubleType)
_TIMES = (t.DateType, t.TimeType, t.TimestampBase)


def aligned(
    args: tuple[Column, ...], types: tuple[t.LogicalType, ...], context: ExpressionContext
) -> tuple[Column, ...]:
    """Operands as columns of types that Spark compares as Flink does."""
    if any(map(_has_map, types)):
        # Spark does not compare maps; equal maps have equal texts.
        return tuple(value_text(arg, type_) for arg, type_ in zip(args, types, strict=True))
    left, right = types
    if isinstance(left, t.TimestampBase) and isinstance(right, t.TimestampBase) and type(left) is not type(right):
        target = left if left.precision > right.precision else right
        return tuple(_of_type(arg, type_, target, context) for arg, type_ in zip(args, types, strict=True))
    return tuple(_comparable(arg, type_, types) for arg, type_ in zip(args, types, strict=True))


def _of_type(column: Column, type_: t.LogicalType, target: t.LogicalType, context: ExpressionContext) -> Column:
    """A timestamp with or without time zone as the other one, in the session's zone."""
    match type_, target:
        case t.TimestampType(), t.TimestampLtzType():
            return from_local(column, context.time_zone)
        case t.TimestampLtzType(), t.TimestampType():
            return to_local(column, context.time_zone)
    return column


def _ordered(call: Call, args: tuple[Column, ...], context: ExpressionContext, by: Comparison, at: int) -> Column:
    """The comparison of the first operand with another one."""
    types = operand_types(call)
    return by(*aligned((args[0], args[at]), (types[0], types[at]), context))


@translates("$BETWEEN$1", "$between$1")
def _between(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return _ordered(call, args, context, ge, 1) & _ordered(call, args, context, le, 2)


@translates("$NOT BETWEEN$1", "$NOTBETWEEN$1", "$notBetween$1")
def _not_between(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return _ordered(call, args, context, lt, 1) | _ordered(call, args, context, gt, 2)


def _read_as_times(
    call: Call, args: tuple[Column, ...], types: tuple[t.LogicalType, ...], context: ExpressionContext
) -> tuple[tuple[Column, ...], tuple[t.LogicalType, ...]]:
    """The operands of `=` or `<>`; a text beside a date or time is parsed as one."""
    time = next((type_ for type_ in types if isinstance(type_, _TIMES)), None)
    if time is None or not any(isinstance(type_, t.CharacterType) for type_ in types):
        return args, types

    def cast(arg: Column, type_: t.LogicalType, rex: r.RexNode) -> Column:
        if not isinstance(type_, t.CharacterType):
            return arg
        return cast_column(arg, type_, time, context, lenient=not isinstance(rex, r.Literal))

    return tuple(cast(*arguments) for arguments in zip(args, types, call.operands, strict=True)), (time, time)


def _has_map(type_: t.LogicalType) -> bool:
    return isinstance(type_, t.MapType | t.MultisetType) or any(map(_has_map, type_.children()))


def _comparable(column: Column, type_: t.LogicalType, types: tuple[t.LogicalType, ...]) -> Column:
    if type(types[0]) is type(types[-1]):
        return column
    if any(isinstance(type_of_operand, _FLOATING) for type_of_operand in types) and isinstance(type_, t.NumericType):
        return column.cast("double")
    exact = as_decimal(type_)
    if exact is not None and any(isinstance(type_of_operand, t.DecimalType) for type_of_operand in types):
        return column.cast(f"decimal({exact.precision},{exact.scale})")
    return column


def _is_unlike(types: tuple[t.LogicalType, ...]) -> bool:
    """Return True for a boolean and a text."""
    return any(isinstance(type_, t.BooleanType) for type_ in types) and any(
        isinstance(type_, t.CharacterType) for type_ in types
    )


def _compares(*names: str, by: Comparison, nan: bool = False, unlike: bool | None = None) -> None:
    """Register a comparison.

    Args:
        names: its names in plans.
        by: Spark's comparison.
        nan: the result if an operand is NaN.
        unlike: the result for a boolean and a text; None if Flink has no such comparison.
    """

    @translates(*names)
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        types = operand_types(call)
        if unlike is not None:
            if _is_unlike(types):
                return F.when(args[0].isNotNull() & args[1].isNotNull(), F.lit(unlike))
            args, types = _read_as_times(call, args, types, context)
        left, right = aligned(args, types, context)
        result = by(left, right)
        watched = [
            F.isnan(column)
            for column, type_, rex in zip((left, right), types, call.operands, strict=True)
            if isinstance(type_, _FLOATING) and not isinstance(rex, r.Literal)
        ]
        if not watched:
            return result
        # A null beside a NaN is still unknown: x = x is true, or null for null.
        answer = ((left == left) & (right == right)) if nan else ((left != left) | (right != right))
        return F.when(reduce(or_, watched), answer).otherwise(result)


_compares("$=$1", "$equals$1", by=eq, unlike=False)
_compares("$<>$1", "$notEquals$1", by=ne, nan=True, unlike=True)
_compares("$<$1", "$lessThan$1", by=lt)
_compares("$<=$1", "$lessThanOrEqual$1", by=le)
_compares("$>$1", "$greaterThan$1", by=gt)
_compares("$>=$1", "$greaterThanOrEqual$1", by=ge)


@translates("$IS NOT DISTINCT FROM$1")
def _not_distinct(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    left, right = aligned(args, operand_types(call), context)
    return left.eqNullSafe(right)


@translates("$IS DISTINCT FROM$1")
def _distinct(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return ~_not_distinct(call, args, context)


@translates("$SEARCH$1")
def _search(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    sarg = call.operands[1]
    if not isinstance(sarg, r.Sarg):
        raise context.unsupported("$SEARCH$1 without a set of ranges")
    value, type_ = args[0], r.type_of(call.operands[0])
    if isinstance(type_, _FLOATING) or isinstance(sarg.type, _FLOATING):
        value = value.cast("double")

    def bound(constant: object) -> Column:
        return _of_type(value_column(constant, sarg.type, context), sarg.type, type_, context)

    points = [item for item in sarg.ranges if _is_point(item)]
    others = [item for item in sarg.ranges if not _is_point(item)]
    runs = _runs(others)
    tests = [_in_ranges(value, run, bound) for run in runs]
    if points:
        bounds = [bound(item.lower) for item in points]
        tests.append(value.isin(*bounds) if len(bounds) > 1 else value == bounds[0])
    matches = balanced(tests, or_) if tests else (value.isNull() & F.lit(None)) & F.lit(False)
    if isinstance(type_, _FLOATING):
        # Flink looks into a set for IN and NOT IN; its 0.0 is not -0.0.
        is_negative_zero = value.cast("string") == "-0.0"
        if not others:
            matches = matches & ~is_negative_zero
        elif not points and _excludes_values_alone(runs):
            matches = matches | is_negative_zero
        else:
            # Spark sorts NaN above all numbers; in Flink it is in no range.
            matches = matches & ~F.isnan(value)
    if sarg.null_as == "TRUE":
        return value.isNull() | matches
    if sarg.null_as == "FALSE":
        return value.isNotNull() & matches
    return matches


def _is_point(item: r.Range) -> bool:
    return item.has_lower and item.has_upper and item.lower == item.upper


def _runs(ranges: Sequence[r.Range]) -> list[list[r.Range]]:
    """Group ranges that are separated by one excluded value, such as those of NOT IN."""
    runs: list[list[r.Range]] = []
    for item in ranges:
        if runs and _excludes_one_value(runs[-1][-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _excludes_values_alone(runs: Sequence[Sequence[r.Range]]) -> bool:
    """Return True for the ranges of NOT IN."""
    return len(runs) == 1 and not (runs[0][0].has_lower or runs[0][-1].has_upper)


def _excludes_one_value(left: r.Range, right: r.Range) -> bool:
    ends, starts = left.has_upper and not left.upper_closed, right.has_lower and not right.lower_closed
    return ends and starts and left.upper == right.lower


def _in_ranges(value: Column, run: Sequence[r.Range], bound: Callable[[object], Column]) -> Column:
    """True for a value within the bounds of a run of ranges and unequal to its excluded values."""
    if len(run) == 1:
        return _in_range(value, run[0], bound)
    first, last = run[0], run[-1]
    bounds = replace(first, upper=last.upper, has_upper=last.has_upper, upper_closed=last.upper_closed)
    apart = ~value.isin(*(bound(item.upper) for item in run[:-1]))
    return _in_range(value, bounds, bound) & apart if bounds.has_lower or bounds.has_upper else apart


def _in_range(value: Column, item: r.Range, bound: Callable[[object], Column]) -> Column:
    tests = []
    if item.has_lower:
        lower = bound(item.lower)
        tests.append(value >= lower if item.lower_closed else value > lower)
    if item.has_upper:
        upper = bound(item.upper)
        tests.append(value <= upper if item.upper_closed else value < upper)
    return reduce(and_, tests) if tests else value.eqNullSafe(value)
