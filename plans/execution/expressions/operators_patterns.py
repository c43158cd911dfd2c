"""LIKE and SIMILAR TO.

A LIKE with a constant pattern is Spark's own; Flink's patterns have no escape character unless ESCAPE names one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import translates

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
    tokens = _tokens(str(pattern), str(escape), context)
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


def _tokens(pattern: str, escape: str, context: ExpressionContext) -> list[tuple[str, bool]]:
    """The characters of a LIKE pattern, each with whether it is a wildcard."""
    if len(escape) > 1:
        raise PlanError(f"LIKE ... ESCAPE takes one character, not {escape!r}", where=context.where)
    found: list[tuple[str, bool]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if escape and character == escape:
            position += 1
            escaped = pattern[position : position + 1]
            if not escaped or escaped not in f"%_{escape}":
                raise PlanError(
                    f"the escape character of LIKE {pattern!r} must stand before %, _ or itself", where=context.where
                )
            found.append((escaped, False))
        else:
            found.append((character, character in "%_"))
        position += 1
    return found


@translates("$SIMILAR TO$1", "$similar$1")
def _similar(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("SIMILAR_TO", "boolean", *args)


@translates("$NOT SIMILAR TO$1")
def _not_similar(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return ~java("SIMILAR_TO", "boolean", *args)
