"""String functions, including regular expressions. Lengths and positions count characters (code points), from 1.

Source: Flink's "System (Built-in) Functions" page, edge cases read off Flink 2.3 runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import texts
from compiled_plan.plans.execution.expressions.context import operand_types
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant, symbol
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import as_point

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


translates = Family(__name__)

translates.columns("$UPPER$1", apply=F.upper)
translates.columns("$LOWER$1", apply=F.lower)
translates.columns("$CHAR_LENGTH$1", "$CHARACTER_LENGTH$1", "$charLength$1", apply=F.length)
translates.columns("$REVERSE$1", apply=F.reverse)
translates.columns("$CONCAT$1", "$concat$1", apply=F.concat)
translates.columns("$POSITION$1", apply=F.position)
translates.columns("$LEFT$1", apply=lambda text, count: F.left(text, count.cast("int")))
translates.columns("$RIGHT$1", apply=lambda text, count: F.right(text, count.cast("int")))
translates.columns("$REPEAT$1", apply=lambda text, count: F.repeat(text, count.cast("int")))
translates.columns("$CONCAT_WS$1", apply=lambda *args: F.call_function("concat_ws", *args))
translates.columns("$TO_BASE64$1", apply=lambda value: F.base64(value.cast("binary")))
translates.columns("$STARTSWITH$1", apply=lambda text, start: text.startswith(start))
translates.columns("$ENDSWITH$1", apply=lambda text, end: text.endswith(end))
translates.columns("$ELT$1", apply=lambda place, *texts: F.get(F.array(*texts), (place - 1).cast("int")))
translates.columns("$UUID$1", apply=F.uuid)
translates.kernel("LPAD", ints=(1,))
translates.kernel("RPAD", ints=(1,))
translates.kernel("OVERLAY", ints=(2, 3))
translates.kernel("SPLIT_INDEX", ints=(2,))
translates.kernel("INITCAP")
translates.kernel("ASCII", "int")
translates.kernel("CHR")
translates.kernel("TRANSLATE", names=("$TRANSLATE$1", "$TRANSLATE3$1"))
translates.kernel("URL_ENCODE")
translates.kernel("URL_DECODE")
translates.kernel("INET_ATON", "bigint")
translates.kernel("INET_NTOA")
translates.kernel("DECODE")
translates.kernel("PARSE_URL")
translates.kernel("REGEXP", "boolean")
translates.kernel("REGEXP_REPLACE")
translates.kernel("REGEXP_EXTRACT", ints=(2,))
translates.kernel("REGEXP_EXTRACT_ALL", "array<string>", ints=(2,))
translates.kernel("REGEXP_COUNT", "int")
translates.kernel("REGEXP_INSTR", "int")
translates.kernel("REGEXP_SUBSTR")
translates.kernel("SPLIT", "array<string>")


@translates("$FROM_BASE64$1")
def _from_base64(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """A text of any bytes, which the cast keeps."""
    return java("FROM_BASE64", "binary", args[0]).cast("string")


@translates("$STR_TO_MAP$1")
def _str_to_map(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    texts = args if len(args) == 3 else (args[0], F.lit(","), F.lit("="))
    return java("STR_TO_MAP", "map<string,string>", *texts)


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
    # For an empty search text Spark replaces nothing, Flink every gap.
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
    def apply(text: Column, letters: Column | None = None) -> Column:
        return _TRIMS[side](text, F.lit(" ") if letters is None else letters)

    translates.columns(name, apply=apply)


_trim_side("$LTRIM$1", "LEADING")
_trim_side("$RTRIM$1", "TRAILING")
_trim_side("$BTRIM$1", "BOTH")


@translates("$ENCODE$1")
def _encode(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if str(constant(call.operands[1])).upper() == "UTF-8":
        return args[0].cast("binary")
    return java("ENCODE", "binary", *args)


def _character_test(name: str, *numbers: type[t.LogicalType]) -> None:
    """Register a test of texts; for numbers (null ones, too) it is true for some types."""

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
    # Flink's own types of intervals are these two.
    if isinstance(type_, t.IntervalType):
        type_ = replace(type_, resolution="SECOND(3)" if isinstance(type_, t.DayTimeIntervalType) else "MONTH")
    text = str(type_)
    return F.lit(
        text
        if full
        else text.replace(f"VARCHAR({t.MAX_LENGTH})", "STRING").replace(f"VARBINARY({t.MAX_LENGTH})", "BYTES")
    )


@translates("$PRINTF$1")
def _printf(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    values = zip(args[1:], operand_types(call)[1:], strict=True)
    printed = [_printed(arg, type_, context).alias(f"v{at}") for at, (arg, type_) in enumerate(values)]
    return java("PRINTF", "string", args[0], *([F.struct(*printed)] if printed else []))


def _printed(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """A value as Flink's internal object for Java's formatter: the days of a DATE, the text of a TIMESTAMP in UTC."""
    match type_:
        case t.DateType():
            return F.unix_date(column)
        case t.TimestampBase():
            return java("ISO_TEXT", "string", F.unix_micros(as_point(column)))
        case t.DecimalType():
            # A text, for which %d and %f fail, as for Flink's decimals.
            return texts.to_text(column, type_, context)
        case t.BitmapType() | t.VariantType():
            return texts.to_text(column, type_, context)
    return column


@translates("$PRINT$1")
def _print(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    text = texts.to_text(args[1], operand_types(call)[1], context)
    return F.when(java("PRINT", "boolean", args[0], text), args[1])
