"""AND, OR, NOT, IS ..., LIKE, SIMILAR TO and ||: Spark's three-valued logic matches Flink's.

A LIKE with a constant pattern is Spark's own; Flink's patterns have no escape character unless ESCAPE names one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import and_, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.rex.operands import like_tokens

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)


def balanced(args: Sequence[Column], join: Callable[[Column, Column], Column]) -> Column:
    """The columns joined in order, as a balanced tree: Spark traverses trees by recursion."""
    if len(args) == 1:
        return args[0]
    half = len(args) // 2
    return join(balanced(args[:half], join), balanced(args[half:], join))


translates.columns("$AND$1", "$and$1", apply=lambda *args: balanced(args, and_))
translates.columns("$OR$1", "$or$1", apply=lambda *args: balanced(args, or_))
translates.columns("$NOT$1", "$not$1", apply=lambda value: ~value)
translates.columns("$IS NULL$1", "$isNull$1", "$IS UNKNOWN$1", apply=lambda value: value.isNull())
translates.columns("$IS NOT NULL$1", "$isNotNull$1", "$IS NOT UNKNOWN$1", apply=lambda value: value.isNotNull())
translates.columns("$IS TRUE$1", "$isTrue$1", apply=lambda value: F.coalesce(value, F.lit(False)))
translates.columns("$IS NOT TRUE$1", "$isNotTrue$1", apply=lambda value: F.coalesce(~value, F.lit(True)))
translates.columns("$IS FALSE$1", "$isFalse$1", apply=lambda value: F.coalesce(~value, F.lit(False)))
translates.columns("$IS NOT FALSE$1", "$isNotFalse$1", apply=lambda value: F.coalesce(value, F.lit(True)))
# A name for a value, used in projections of Flink's Table API plans.
translates.columns("$AS$1", apply=lambda value, *names: value)
translates.columns("$||$1", apply=F.concat)


@translates("$DEFAULT$1")
def _default(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.lit(None).cast(to_spark(call.type))


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
    """A Java regular expression: `%` matches across lines, `_` does not match a line terminator."""
    parts = {"%": "(?s:.*)", "_": "."}
    inside = "".join(parts[token] if wild else f"\\x{{{ord(token):x}}}" for token, wild in tokens)
    return f"\\A{inside}\\z"


translates.kernel("SIMILAR_TO", "boolean", names=("$SIMILAR TO$1", "$similar$1"))
translates.columns("$NOT SIMILAR TO$1", apply=lambda *args: ~java("SIMILAR_TO", "boolean", *args))
