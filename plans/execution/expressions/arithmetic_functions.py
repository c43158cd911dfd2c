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
from compiled_plan.plans.execution.expressions.registry import Family, Translator
from compiled_plan.plans.execution.expressions.temporal import floor_to_unit
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.rex.sequences import is_sequence

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
translates.columns("$BIN$1", apply=lambda value: F.bin(value.cast("bigint")))
translates.kernel("UNHEX", "binary")

_FLOATING = (t.FloatType, t.DoubleType)


def _of_double(name: str, apply: Callable[..., Column] | None = None) -> None:
    """Register a function of doubles; by default the kernel's of the same name."""

    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        doubles = [arg.cast("double") for arg in args]
        return (apply(*doubles) if apply else java(name, "double", *doubles)).cast(to_spark(call.type))

    translates(f"${name}$1")(translate)


# Spark's logarithms give null where Java gives NaN or -Infinity; its EXP and POWER differ in the last digit.
for _name in ("EXP", "POWER", "LN", "LOG10", "LOG2", "COT", "ATAN2"):
    _of_double(_name)
for _apply in (
    F.sqrt,
    F.sin,
    F.cos,
    F.tan,
    F.asin,
    F.acos,
    F.atan,
    F.sinh,
    F.cosh,
    F.tanh,
    F.degrees,
    F.radians,
    F.pi,
    F.e,
):
    _of_double(_apply.__name__.upper(), _apply)


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


def _whole(name: str) -> Translator:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        if len(args) == 2:
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


def _rounding(name: str) -> Translator:
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


@translates("$HEX$1")
def _hex(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    match r.type_of(call.operands[0]):
        case t.CharacterType():
            return F.hex(F.make_valid_utf8(args[0]))
        case t.BytesType():
            return F.hex(args[0])
    return F.hex(args[0].cast("bigint"))


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
    """The row's place in the sequence of the seed: the first if each row has its own seed."""
    if not is_sequence(call):
        return F.lit(0).cast("bigint")
    assert context.counted is not None
    return context.counted
