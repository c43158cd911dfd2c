"""Mathematical functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.arithmetic import negated_decimal
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import translates
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.rex.sequences import is_sequence

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

_FLOATING = (t.FloatType, t.DoubleType)


def _of_double(apply: Callable[..., Column]) -> Callable[[Call, tuple[Column, ...], ExpressionContext], Column]:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return apply(*(arg.cast("double") for arg in args)).cast(to_spark(call.type))

    return translate


def _of_java(name: str) -> Callable[..., Column]:
    return lambda *args: java(name, "double", *args)


# Spark's logarithms give null where Java gives NaN or -Infinity; its EXP and POWER differ in the last digit.
_DOUBLE_FUNCTIONS: dict[str, Callable[..., Column]] = {
    "SQRT": F.sqrt,
    "EXP": _of_java("EXP"),
    "POWER": _of_java("POWER"),
    "LN": _of_java("LN"),
    "LOG10": _of_java("LOG10"),
    "LOG2": _of_java("LOG2"),
    "SIN": F.sin,
    "COS": F.cos,
    "TAN": F.tan,
    "COT": _of_java("COT"),
    "ASIN": F.asin,
    "ACOS": F.acos,
    "ATAN": F.atan,
    "ATAN2": _of_java("ATAN2"),
    "SINH": F.sinh,
    "COSH": F.cosh,
    "TANH": F.tanh,
    "DEGREES": F.degrees,
    "RADIANS": F.radians,
    "PI": F.pi,
    "E": F.e,
}
for _name, _apply in _DOUBLE_FUNCTIONS.items():
    translates(f"${_name}$1")(_of_double(_apply))


@translates("$LOG$1")
def _log(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("LN" if len(args) == 1 else "LOG", "double", *(arg.cast("double") for arg in args))


@translates("$ABS$1")
def _abs(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if isinstance(call.type, t.DecimalType):
        return F.when(args[0] < 0, negated_decimal(args[0], call.type)).otherwise(args[0])
    return F.abs(args[0]).cast(to_spark(call.type))


@translates("$SIGN$1")
def _sign(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    type_ = r.type_of(call.operands[0])
    if isinstance(type_, _FLOATING):
        return F.signum(args[0]).cast(to_spark(call.type))
    value = args[0]
    sign = F.when(value > 0, F.lit(1)).when(value < 0, F.lit(-1)).when(value == 0, F.lit(0))
    return sign.cast(to_spark(call.type))


def _whole(name: str) -> Callable[[Call, tuple[Column, ...], ExpressionContext], Column]:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        if len(args) == 2:
            from compiled_plan.plans.execution.expressions.temporal import floor_to_unit

            return floor_to_unit(name, call, args, context)
        type_ = r.type_of(call.operands[0])
        if isinstance(type_, _FLOATING):
            return java(f"{name}_DOUBLE", "double", args[0].cast("double")).cast(to_spark(call.type))
        if isinstance(type_, t.DecimalType):
            return (F.ceil if name == "CEIL" else F.floor)(args[0]).cast(to_spark(call.type))
        return args[0]

    return translate


translates("$CEIL$1", "$CEILING$1")(_whole("CEIL"))
translates("$FLOOR$1")(_whole("FLOOR"))


def _rounding(name: str) -> Callable[[Call, tuple[Column, ...], ExpressionContext], Column]:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        type_ = r.type_of(call.operands[0])
        target = to_spark(call.type)
        digits = args[1].cast("int") if len(args) > 1 else F.lit(0)
        if isinstance(type_, t.IntegerType) and len(args) == 1:
            return args[0]
        if isinstance(type_, t.DecimalType):
            known = 0 if len(args) == 1 else constant(call.operands[1])
            if name == "ROUND" and isinstance(known, int) and 0 <= known <= type_.scale:
                return F.round(args[0], known).cast(target)
            return java(f"{name}_DECIMAL", f"decimal(38,{type_.scale})", args[0], digits).cast(target)
        if isinstance(type_, t.FloatType) and name == "TRUNCATE":
            return java("TRUNCATE_FLOAT", "float", args[0], digits)
        if isinstance(type_, _FLOATING):
            return java(f"{name}_DOUBLE", "double", args[0].cast("double"), digits).cast(target)
        return java(f"{name}_DECIMAL", "decimal(38,0)", args[0].cast("decimal(19,0)"), digits).cast(target)

    return translate


translates("$ROUND$1")(_rounding("ROUND"))
translates("$TRUNCATE$1")(_rounding("TRUNCATE"))


@translates("$BIN$1")
def _bin(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.bin(args[0].cast("bigint"))


@translates("$HEX$1")
def _hex(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    text = isinstance(r.type_of(call.operands[0]), t.CharacterType | t.BytesType)
    return F.hex(args[0] if text else args[0].cast("bigint"))


@translates("$UNHEX$1")
def _unhex(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("UNHEX", "binary", args[0])


@translates("$RAND$1")
def _rand(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if not args:
        return F.rand()
    return java("RAND_AT", "double", args[0], _place(call, context))


@translates("$RAND_INTEGER$1")
def _rand_integer(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if len(args) == 1:
        return F.floor(F.rand() * args[0]).cast("int")
    return java("RAND_INTEGER_AT", "int", args[0], _place(call, context), args[1])


def _place(call: Call, context: ExpressionContext) -> Column:
    """The place of the row in the sequence of the seed: the first, where each row has a seed of its own."""
    if not is_sequence(call):
        return F.lit(0).cast("bigint")
    assert context.counted is not None
    return context.counted
