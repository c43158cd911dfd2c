"""+, -, *, / and MOD of numbers; the same operators on times are delegated to `times`.

Flink: integers wrap around in the type of the result. Division of an integer or a decimal by zero fails, of a double
gives Infinity or NaN. A decimal that does not fit the type of the result is null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.context import is_time, operand_types
from compiled_plan.plans.execution.expressions.functions import fail, java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import Family, Translator
from compiled_plan.plans.execution.expressions.temporal import time_arithmetic
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)

_EXACT = (t.IntegerType, t.DecimalType)
_INTEGER_PRECISION = {8: 3, 16: 5, 32: 10, 64: 19}
_MAX_PRECISION = 38
_SPARK_EXACT = 34


def as_decimal(type_: t.LogicalType) -> t.DecimalType | None:
    """The decimal type that holds all values of an integer or decimal type."""
    if isinstance(type_, t.DecimalType):
        return type_
    if isinstance(type_, t.IntegerType):
        return t.DecimalType(precision=_INTEGER_PRECISION[type_.BITS], scale=0)
    return None


def _symmetric(sign: str, apply: Callable[[Column, Column], Column]) -> Translator:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        if any(is_time(type_) for type_ in operand_types(call)):
            return time_arithmetic(sign, call, args, context)
        if len(args) == 1:
            return _negated(call, args[0])
        if isinstance(call.type, t.DecimalType):
            return _decimal(sign, call, args)
        target = to_spark(call.type)
        # An integer type wraps like the low bits of a wider result: the casts cut off the high bits.
        return apply(args[0].cast(target), args[1].cast(target)).cast(target)

    return translate


_PLUS = ("$+$1", "$PLUS$1", "$plus$1", "$AGG_DECIMAL_PLUS$1", "$HIVE_AGG_DECIMAL_PLUS$1")
_MINUS = ("$-$1", "$MINUS$1", "$minus$1", "$minusPrefix$1", "$AGG_DECIMAL_MINUS$1")
translates(*_PLUS)(_symmetric("+", lambda a, b: a + b))
translates(*_MINUS)(_symmetric("-", lambda a, b: a - b))
translates("$*$1", "$TIMES$1", "$times$1")(_symmetric("*", lambda a, b: a * b))


def _negated(call: Call, value: Column) -> Column:
    target = to_spark(call.type)
    if isinstance(call.type, t.IntegerType):
        return (F.lit(0).cast(target) - value).cast(target)
    if isinstance(call.type, t.DecimalType):
        return negated_decimal(value, call.type)
    return (-value).cast(target)


def negated_decimal(value: Column, type_: t.DecimalType) -> Column:
    """-value; Spark's own minus rounds to 34 digits."""
    if type_.precision <= _SPARK_EXACT:
        return -value
    return java("NEGATE_DECIMAL", type_, value)


def _decimal(sign: str, call: Call, args: tuple[Column, ...]) -> Column:
    types = operand_types(call)
    exact = [as_decimal(type_) for type_ in types]
    left = args[0].cast(to_spark(exact[0])) if exact[0] else args[0]
    right = args[1].cast(to_spark(exact[1])) if exact[1] else args[1]
    if exact[0] and exact[1] and _spark_type(sign, exact[0], exact[1]) == _shape(call.type):
        return {"+": left + right, "-": left - right, "*": left * right}[sign]
    return java("DECIMAL_ARITHMETIC", call.type, left, right, options=(sign, *_options(call.type)))


def _shape(type_: t.LogicalType) -> tuple[int, int] | None:
    return (type_.precision, type_.scale) if isinstance(type_, t.DecimalType) else None


def _options(type_: t.LogicalType) -> tuple[str, ...]:
    shape = _shape(type_)
    return tuple(map(str, shape)) if shape else ()


def _spark_type(sign: str, a: t.DecimalType, b: t.DecimalType) -> tuple[int, int]:
    """The result type of Spark's own operator: if it is the plan's type, that operator is exact."""
    if sign == "*":
        precision, scale = a.precision + b.precision + 1, a.scale + b.scale
    else:
        scale = max(a.scale, b.scale)
        precision = max(a.precision - a.scale, b.precision - b.scale) + scale + 1
    if precision <= _MAX_PRECISION:
        return precision, scale
    # Too many digits: Spark might round in another way than Flink.
    return 0, 0


def _repeatable(call: Call) -> bool:
    """True if the operands may be repeated in a column: nested ones would multiply with each level."""
    return not any(isinstance(operand, r.Call) and operand.name != "$CAST$1" for operand in call.operands)


def _guarded(call: Call, dividend: Column, divisor: Column, value: Column, operator: str) -> Column:
    """`value`, or a failed query if the divisor is zero and the dividend is not null."""
    known = constant(call.operands[1])
    if known is not None and float(known) != 0:
        return value
    return F.when(
        (divisor == 0) & dividend.isNotNull(),
        fail(f"{operator}: division by zero of ", dividend).cast(to_spark(call.type)),
    ).otherwise(value)


@translates("$/$1", "$/INT$1", "$DIVIDE$1", "$divide$1")
def _divide(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if any(is_time(type_) for type_ in operand_types(call)):
        return time_arithmetic("/", call, args, context)
    target = to_spark(call.type)
    left, right = args
    if isinstance(call.type, t.IntegerType):
        if constant(call.operands[1]) is None and not _repeatable(call):
            return java("DIVIDE_WHOLE", "bigint", left.cast("bigint"), right.cast("bigint")).cast(target)
        quotient = F.call_function("div", left.cast("bigint"), right.cast("bigint")).cast(target)
        return _guarded(call, left, right, quotient, "integer /")
    if isinstance(call.type, t.DecimalType):
        return _decimal("/", call, args)
    a, b = left.cast("double"), right.cast("double")
    # Spark gives null for x / 0; x * (1 / ±0.0) = x * ±Infinity is Java's result.
    known = constant(call.operands[1])
    if known is not None and float(known) != 0:
        return (a / b).cast(target)
    if not _repeatable(call):
        return java("DIVIDE_DOUBLE", "double", a, b).cast(target)
    return F.when(b == 0, a * F.pow(b, F.lit(-1.0))).otherwise(a / b).cast(target)


@translates("$MOD$1", "$%$1", "$mod$1")
def _mod(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    target = to_spark(call.type)
    types = operand_types(call)
    if all(isinstance(type_, t.IntegerType) for type_ in types):
        if constant(call.operands[1]) is None and not _repeatable(call):
            return java("MOD_WHOLE", "bigint", args[0].cast("bigint"), args[1].cast("bigint")).cast(target)
        wide = args[0].cast("bigint") % args[1].cast("bigint")
        return _guarded(call, args[0], args[1], wide, "MOD").cast(target)
    if all(isinstance(type_, _EXACT) for type_ in types):
        return _decimal("%", call, args)
    return java("MOD_DOUBLE", "double", args[0].cast("double"), args[1].cast("double")).cast(target)
