"""AND, OR, NOT, IS ...: Spark's three-valued logic is Flink's; and the operator ||."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.joining import balanced
from compiled_plan.plans.execution.expressions.registry import translates
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


@translates("$AND$1", "$and$1")
def _and(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return balanced(args, lambda a, b: a & b)


@translates("$OR$1", "$or$1")
def _or(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return balanced(args, lambda a, b: a | b)


@translates("$NOT$1", "$not$1")
def _not(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return ~args[0]


@translates("$IS NULL$1", "$isNull$1", "$IS UNKNOWN$1")
def _is_null(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0].isNull()


@translates("$IS NOT NULL$1", "$isNotNull$1", "$IS NOT UNKNOWN$1")
def _is_not_null(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return args[0].isNotNull()


@translates("$IS TRUE$1", "$isTrue$1")
def _is_true(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.coalesce(args[0], F.lit(False))


@translates("$IS NOT TRUE$1", "$isNotTrue$1")
def _is_not_true(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.coalesce(~args[0], F.lit(True))


@translates("$IS FALSE$1", "$isFalse$1")
def _is_false(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.coalesce(~args[0], F.lit(False))


@translates("$IS NOT FALSE$1", "$isNotFalse$1")
def _is_not_false(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.coalesce(args[0], F.lit(True))


@translates("$AS$1")
def _as(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """A name for a value, which plans of Flink's Table API have in their projections."""
    return args[0]


@translates("$DEFAULT$1")
def _default(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.lit(None).cast(to_spark(call.type))


@translates("$||$1")
def _concatenated(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.concat(*args)
