"""Hashes and digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.context import operand_types
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import translates

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


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
    return F.sha2(args[0].cast("binary"), bits)


@translates("$HASH_CODE$1")
def _hash_code(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    value = args[0]
    match operand_types(call)[0]:
        case t.DateType():
            value = F.unix_date(value)
        case t.TimestampBase():
            return java("HASH_TIMESTAMP", "int", F.unix_micros(value.cast("timestamp")))
    hashed = java("HASH_CODE", "int", value)
    return F.abs(hashed) if isinstance(operand_types(call)[0], t.CharacterType) else hashed
