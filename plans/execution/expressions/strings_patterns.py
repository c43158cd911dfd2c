"""Regular expressions, and texts that are split by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.registry import translates

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


def _regexp(name: str, returns: str, integer: int = -1) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        shaped = [arg.cast("int") if index == integer else arg for index, arg in enumerate(args)]
        return java(name, returns, *shaped)

    translates(f"${name}$1")(translate)


_regexp("REGEXP", "boolean")
_regexp("REGEXP_REPLACE", "string")
_regexp("REGEXP_EXTRACT", "string", integer=2)
_regexp("REGEXP_EXTRACT_ALL", "array<string>", integer=2)
_regexp("REGEXP_COUNT", "int")
_regexp("REGEXP_INSTR", "int")
_regexp("REGEXP_SUBSTR", "string")
_regexp("SPLIT", "array<string>")


@translates("$STR_TO_MAP$1")
def _str_to_map(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    text, pairs, values = (*args, F.lit(","), F.lit("="))[:3] if len(args) < 3 else args
    return java("STR_TO_MAP", "map<string,string>", text, pairs, values)
