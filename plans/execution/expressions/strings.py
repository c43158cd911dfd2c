"""String functions. Lengths and positions count characters (code points), from 1.

Source: Flink's "System (Built-in) Functions" page, edge cases read off Flink 2.3 runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from plans import rex as r
from plans import types as t
from plans.execution.expressions.functions import java
from plans.execution.expressions.literals import constant, symbol
from plans.execution.expressions.registry import translates

if TYPE_CHECKING:
    from pyspark.sql import Column

    from plans.execution.expressions.context import ExpressionContext
    from plans.rex import Call


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
_native("$||$1", "$CONCAT$1", "$concat$1", apply=F.concat)
_native("$REPLACE$1", apply=F.replace)
_native("$POSITION$1", apply=F.position)
_java("SUBSTRING", ints=(1, 2))
_java("SUBSTR", "SUBSTRING", ints=(1, 2))
_java("LEFT", ints=(1,))
_java("RIGHT", ints=(1,))
_java("LPAD", ints=(1,))
_java("RPAD", ints=(1,))
_java("REPEAT", ints=(1,))
_java("LOCATE", returns="int", ints=(2,))
_java("INSTR", returns="int", ints=(2, 3))
_java("OVERLAY", ints=(2, 3))
_java("SPLIT_INDEX", ints=(2,))
_java("INITCAP")
_java("ASCII", returns="int")
_java("CHR")
_java("TRANSLATE", aliases=("$TRANSLATE3$1",))
_java("TO_BASE64")
_java("FROM_BASE64")
_java("URL_ENCODE")
_java("URL_DECODE")
_java("INET_ATON", returns="bigint")
_java("INET_NTOA")


@translates("$CONCAT_WS$1")
def _concat_ws(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    # A null separator gives null; Spark's own skips null arguments as Flink's does.
    return java("CONCAT_WS", "string", args[0], F.array(*args[1:]))


@translates("$TRIM$1")
def _trim(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if isinstance(r.type_of(call.operands[0]), t.SymbolType):
        side = symbol(call.operands[0])
        characters, text = args[1], args[2]
    else:
        side, text = "BOTH", args[0]
        characters = args[1] if len(args) > 1 else F.lit(" ")
    return java("TRIM", "string", text, characters, options=(side,))


def _trim_side(name: str, side: str) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return java("TRIM", "string", args[0], args[1] if len(args) > 1 else F.lit(" "), options=(side,))

    translates(name)(translate)


_trim_side("$LTRIM$1", "LEADING")
_trim_side("$RTRIM$1", "TRAILING")
_trim_side("$BTRIM$1", "BOTH")


@translates("$ENCODE$1")
def _encode(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("ENCODE", "binary", *args)


@translates("$DECODE$1")
def _decode(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("DECODE", "string", *args)


def _digest(name: str, bits: int) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        value = args[0].cast("binary")
        return F.md5(value) if bits == 128 else F.sha1(value) if bits == 160 else F.sha2(value, bits)

    translates(name)(translate)


for _name, _bits in (("MD5", 128), ("SHA1", 160), ("SHA224", 224), ("SHA256", 256), ("SHA384", 384), ("SHA512", 512)):
    _digest(f"${_name}$1", _bits)


@translates("$SHA2$1")
def _sha2(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    bits = constant(call.operands[1])
    if bits not in (224, 256, 384, 512):
        raise context.unsupported("SHA2 needs a constant of 224, 256, 384 or 512 bits")
    return F.sha2(args[0].cast("binary"), bits)


@translates("$STARTSWITH$1", "$STARTS_WITH$1")
def _starts(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0].startswith(args[1])


@translates("$ENDSWITH$1", "$ENDS_WITH$1")
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


def _character_test(name: str) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return F.coalesce(java(name, "boolean", args[0].cast("string")), F.lit(False))

    translates(f"${name}$1")(translate)


_character_test("IS_ALPHA")
_character_test("IS_DECIMAL")
_character_test("IS_DIGIT")
