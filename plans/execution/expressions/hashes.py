"""Hashes and digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.context import operand_types
from compiled_plan.plans.execution.expressions.functions import fail, java
from compiled_plan.plans.execution.expressions.registry import Family

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
translates.columns("$MD5$1", apply=lambda value: F.md5(value.cast("binary")))
translates.columns("$SHA1$1", apply=lambda value: F.sha1(value.cast("binary")))
_SHA2_BITS = (224, 256, 384, 512)
for _bits in _SHA2_BITS:
    translates.columns(f"$SHA{_bits}$1", apply=lambda value, bits=_bits: F.sha2(value.cast("binary"), bits))


@translates("$SHA2$1")
def _sha2(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    value, bits = args[0].cast("binary"), args[1]
    digest = F.when(bits.isNull(), F.lit(None).cast("string"))
    for known in _SHA2_BITS:
        digest = digest.when(bits == known, F.sha2(value, known))
    return F.when(value.isNotNull(), digest.otherwise(fail("SHA2 knows no digest of this number of bits: ", bits)))


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
