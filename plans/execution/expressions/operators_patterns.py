"""LIKE and SIMILAR TO.

A LIKE with a constant pattern is Spark's own; Flink's patterns have no escape character unless ESCAPE names one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import translates
from compiled_plan.plans.rex.operands import like_tokens

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


@translates("$LIKE$1", "$like$1")
def _like(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    pattern = constant(call.operands[1])
    escape = constant(call.operands[2]) if len(args) > 2 else ""
    if pattern is None or escape is None:
        return java("LIKE", "boolean", *args)
    text = args[0]
    tokens = like_tokens(str(pattern), str(escape))
    plain = "".join(token for token, wild in tokens if not wild)
    shape = "".join(token if wild else "x" for token, wild in tokens)
    inner = shape.strip("x")
    if not inner:
        return text == plain
    if inner == "%" and shape.endswith("%"):
        return text.startswith(plain)
    if inner == "%" and shape.startswith("%"):
        return text.endswith(plain)
    if shape.startswith("%") and shape.endswith("%") and not shape[1:-1].strip("x"):
        return text.contains(plain)
    if "_" in inner:
        return text.rlike(_regex(tokens))
    written = "".join(token if wild or token not in "%_\\" else f"\\{token}" for token, wild in tokens)
    return F.like(text, F.lit(written))


@translates("$NOT LIKE$1")
def _not_like(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return ~_like(call, args, context)


def _regex(tokens: list[tuple[str, bool]]) -> str:
    """A Java regular expression: `%` goes across lines, `_` does not match the end of one."""
    parts = {"%": "(?s:.*)", "_": "."}
    inside = "".join(parts[token] if wild else f"\\x{{{ord(token):x}}}" for token, wild in tokens)
    return f"\\A{inside}\\z"


@translates("$SIMILAR TO$1", "$similar$1")
def _similar(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("SIMILAR_TO", "boolean", *args)


@translates("$NOT SIMILAR TO$1")
def _not_similar(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return ~java("SIMILAR_TO", "boolean", *args)
