"""Formatting and parsing of times by patterns, and conversions between times and seconds.

Source: Flink's "System (Built-in) Functions" page; the patterns are Java's, edge cases read off Flink 2.3 runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.precision import cut
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import to_local

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
translates.kernel("CONVERT_TZ")
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_PLAIN_PATTERN = re.compile(r"(?:yyyy|MM|dd|HH|mm|ss|S{1,6}|[-/:., _])+")
"""Patterns for which Spark's formatter agrees with Java's."""


@translates("$DATE_FORMAT$1")
def _date_format(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    type_ = r.type_of(call.operands[0])
    if isinstance(type_, t.CharacterType):
        return java("REFORMAT_TIME", "string", args[0], args[1])
    ltz = isinstance(type_, t.TimestampLtzType)
    local = to_local(args[0], context.time_zone) if ltz else args[0].cast("timestamp_ntz")
    pattern = constant(call.operands[1])
    if isinstance(pattern, str) and _PLAIN_PATTERN.fullmatch(pattern):
        return F.date_format(local, pattern)
    return java("FORMAT_TIME", "string", F.unix_micros(local.cast("timestamp")), args[1])


@translates("$TO_DATE$1")
def _to_date(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if len(args) == 1:
        return F.date_from_unix_date(java("PARSE_DATE", "int", args[0], options=("lenient", "DATE")))
    return F.date_from_unix_date(java("TO_DATE", "int", args[0], args[1]))


@translates("$TO_TIMESTAMP$1")
def _to_timestamp(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if len(args) == 1:
        micros = java("PARSE_TIMESTAMP", "bigint", args[0], options=("lenient", "TIMESTAMP"))
        return _cut(F.timestamp_micros(micros), call)
    # A text that the pattern does not fit may keep more digits than the type has; see `precision`.
    return F.timestamp_micros(java("TO_TIMESTAMP", "bigint", args[0], args[1])).cast("timestamp_ntz")


def _cut(point: Column, call: Call) -> Column:
    assert isinstance(call.type, t.TimestampBase)
    return cut(point, call.type, call.type.precision)


@translates("$TO_TIMESTAMP_LTZ$1")
def _to_timestamp_ltz(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    source = r.type_of(call.operands[0])
    if isinstance(source, t.CharacterType):
        if len(args) == 1:
            micros = java("PARSE_TIMESTAMP", "bigint", args[0], options=("strict", str(call.type)))
            return _cut(F.timestamp_micros(micros), call)
        zone = args[2] if len(args) > 2 else F.lit("UTC")
        return F.timestamp_micros(java("TO_TIMESTAMP_IN_ZONE", "bigint", args[0], args[1], zone))
    precision = args[1].cast("int") if len(args) > 1 else F.lit(3)
    approximate = isinstance(source, t.FloatType | t.DoubleType)
    function, kind = ("DOUBLE_EPOCH_TO_MICROS", "double") if approximate else ("EPOCH_TO_MICROS", "bigint")
    return F.timestamp_micros(java(function, "bigint", args[0].cast(kind), precision))


@translates("$FROM_UNIXTIME$1")
def _from_unixtime(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    pattern = args[1] if len(args) > 1 else F.lit(_DEFAULT)
    return java("FROM_UNIXTIME", "string", args[0].cast("bigint"), pattern, options=(context.time_zone,))


@translates("$UNIX_TIMESTAMP$1")
def _unix_timestamp(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    if not args:
        return F.unix_seconds(context.now())
    pattern = args[1] if len(args) > 1 else F.lit(_DEFAULT)
    return java("UNIX_TIMESTAMP", "bigint", args[0], pattern, options=(context.time_zone,))
