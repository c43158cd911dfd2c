"""AND, OR, NOT, IS ..., CASE, IF, COALESCE: Spark's three-valued logic is Flink's."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from plans import rex as r
from plans.execution.expressions.arithmetic import operand_types
from plans.execution.expressions.casts import cast_column
from plans.execution.expressions.comparison import aligned
from plans.execution.expressions.registry import translates
from plans.execution.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from plans.execution.expressions.context import ExpressionContext
    from plans.rex import Call


@translates("$AND$1", "$and$1")
def _and(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return reduce(lambda a, b: a & b, args)


@translates("$OR$1", "$or$1")
def _or(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return reduce(lambda a, b: a | b, args)


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


def branch(call: Call, args: tuple[Column, ...], index: int, context: ExpressionContext) -> Column:
    """Operand `index` as a value of the call's result type."""
    return cast_column(args[index], r.type_of(call.operands[index]), call.type, context)


@translates("$CASE$1", "$ifThenElse$1")
def _case(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    cases = F.when(args[0], branch(call, args, 1, context))
    for index in range(2, len(args) - 1, 2):
        cases = cases.when(args[index], branch(call, args, index + 1, context))
    return cases.otherwise(branch(call, args, len(args) - 1, context)) if len(args) % 2 else cases


@translates("$IF$1")
def _if(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.when(args[0], branch(call, args, 1, context)).otherwise(branch(call, args, 2, context))


@translates("$COALESCE$1", "$IFNULL$1", "$ifNull$1")
def _coalesce(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.coalesce(*(branch(call, args, index, context) for index in range(len(args))))


@translates("$AS$1")
def _as(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    """A name for a value, which plans of Flink's Table API have in their projections."""
    return args[0]


@translates("$NULLIF$1")
def _null_if(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    left, right = aligned(args, operand_types(call))
    same = left == right
    return F.when(F.coalesce(same, F.lit(False)), F.lit(None)).otherwise(branch(call, args, 0, context))


@translates("$DEFAULT$1")
def _default(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.lit(None).cast(to_spark(call.type))
