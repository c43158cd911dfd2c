"""String functions. Lengths and positions count characters (code points), from 1.

Source: Flink's "System (Built-in) Functions" page, edge cases read off Flink 2.3 runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant, symbol
from compiled_plan.plans.execution.expressions.registry import translates

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


def _native(*names: str, apply: Callable[..., Column]) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return apply(*args)

    translates(*names)(translate)


def _java(
    name: str, function: str = "", returns: str = "string", ints: tuple[int, ...] = (), aliases: tuple[str, ...] = ()
) -> None:
    """A call of the Java function of the same name; arguments at `ints` are passed as INT."""

    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        shaped = [arg.cast("int") if index in ints else arg for index, arg in enumerate(args)]
        return java(function or name, returns, *shaped)

    translates(f"${name}$1", *aliases)(translate)


_native("$UPPER$1", apply=F.upper)
_native("$LOWER$1", apply=F.lower)
_native("$CHAR_LENGTH$1", "$CHARACTER_LENGTH$1", "$charLength$1", apply=F.length)
_native("$REVERSE$1", apply=F.reverse)
_native("$CONCAT$1", "$concat$1", apply=F.concat)
_native("$POSITION$1", apply=F.position)
_native("$LEFT$1", apply=lambda text, count: F.left(text, count.cast("int")))
_native("$RIGHT$1", apply=lambda text, count: F.right(text, count.cast("int")))
_native("$REPEAT$1", apply=lambda text, count: F.repeat(text, count.cast("int")))
_native("$CONCAT_WS$1", apply=lambda *args: F.call_function("concat_ws", *args))
_native("$TO_BASE64$1", apply=lambda value: F.base64(value.cast("binary")))
_java("LPAD", ints=(1,))
_java("RPAD", ints=(1,))
_java("OVERLAY", ints=(2, 3))
_java("SPLIT_INDEX", ints=(2,))
_java("INITCAP")
_java("ASCII", returns="int")
_java("CHR")
_java("TRANSLATE", aliases=("$TRANSLATE3$1",))
_java("FROM_BASE64")
_java("URL_ENCODE")
_java("URL_DECODE")
_java("INET_ATON", returns="bigint")
_java("INET_NTOA")


@translates("$SUBSTRING$1", "$SUBSTR$1")
def _substring(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    start = constant(call.operands[1])
    count = constant(call.operands[2]) if len(args) > 2 else t.MAX_LENGTH
    if isinstance(start, int) and isinstance(count, int) and start >= 0 and count >= 0:
        return F.substring(args[0], start, count)
    # Spark's own differs for a start before the text and for a negative length.
    return java("SUBSTRING", "string", args[0], *(arg.cast("int") for arg in args[1:]))


@translates("$REPLACE$1")
def _replace(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    # Of an empty search text Spark replaces nothing, Flink every gap.
    return F.replace(*args) if constant(call.operands[1]) else java("REPLACE", "string", *args)


@translates("$LOCATE$1")
def _locate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if len(args) == 2:
        return F.position(args[0], args[1])
    return java("LOCATE", "int", args[0], args[1], args[2].cast("int"))


@translates("$INSTR$1")
def _instr(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if len(args) == 2:
        return F.position(args[1], args[0])
    return java("INSTR", "int", args[0], args[1], *(arg.cast("int") for arg in args[2:]))


_TRIMS: dict[str, Callable[..., Column]] = {"BOTH": F.btrim, "LEADING": F.ltrim, "TRAILING": F.rtrim}


@translates("$TRIM$1")
def _trim(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if isinstance(r.type_of(call.operands[0]), t.SymbolType):
        return _TRIMS[symbol(call.operands[0])](args[2], args[1])
    return F.btrim(args[0], args[1] if len(args) > 1 else F.lit(" "))


def _trim_side(name: str, side: str) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return _TRIMS[side](args[0], args[1] if len(args) > 1 else F.lit(" "))

    translates(name)(translate)


_trim_side("$LTRIM$1", "LEADING")
_trim_side("$RTRIM$1", "TRAILING")
_trim_side("$BTRIM$1", "BOTH")


@translates("$ENCODE$1")
def _encode(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if str(constant(call.operands[1])).upper() == "UTF-8":
        return args[0].cast("binary")
    return java("ENCODE", "binary", *args)


@translates("$DECODE$1")
def _decode(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("DECODE", "string", *args)


@translates("$STARTSWITH$1")
def _starts(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0].startswith(args[1])


@translates("$ENDSWITH$1")
def _ends(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0].endswith(args[1])


@translates("$ELT$1")
def _elt(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.get(F.array(*args[1:]), (args[0] - 1).cast("int"))


@translates("$PRINTF$1")
def _printf(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.printf(args[0], *args[1:])


@translates("$PARSE_URL$1")
def _parse_url(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("PARSE_URL", "string", *args)


def _character_test(name: str, *numbers: type[t.LogicalType]) -> None:
    """A test of texts; of numbers, also of null ones, it is true for those of some types."""

    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        type_ = r.type_of(call.operands[0])
        if isinstance(type_, t.NumericType):
            return F.lit(isinstance(type_, numbers))
        return F.coalesce(java(name, "boolean", args[0]), F.lit(False))

    translates(f"${name}$1")(translate)


_character_test("IS_ALPHA")
_character_test("IS_DECIMAL", t.IntegerType, t.FloatType, t.DoubleType)
_character_test("IS_DIGIT", t.IntegerType)


@translates("$TYPEOF$1")
def _typeof(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    type_ = r.type_of(call.operands[0])
    full = len(args) > 1 and constant(call.operands[1]) is True
    text = str(type_)
    return F.lit(
        text
        if full
        else text.replace(f"VARCHAR({t.MAX_LENGTH})", "STRING").replace(f"VARBINARY({t.MAX_LENGTH})", "BYTES")
    )


@translates("$UUID$1")
def _uuid(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.uuid()
