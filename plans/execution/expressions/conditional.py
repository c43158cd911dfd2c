"""CASE, IF, COALESCE, NULLIF, GREATEST, LEAST."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.casts import cast_column
from compiled_plan.plans.execution.expressions.context import operand_types
from compiled_plan.plans.execution.expressions.operators_comparison import aligned
from compiled_plan.plans.execution.expressions.registry import Family, Translator
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)


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


@translates("$NULLIF$1")
def _null_if(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    left, right = aligned(args, operand_types(call), context)
    same = left == right
    return F.when(F.coalesce(same, F.lit(False)), F.lit(None)).otherwise(branch(call, args, 0, context))


def _extreme(pick: Callable[..., Column], sign: int) -> Translator:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        same = [branch(call, args, index, context) for index in range(len(args))]
        if len(same) == 1:
            return same[0]
        # Flink: null if any argument is null; Spark would skip it.
        known = reduce(lambda a, b: a & b, (arg.isNotNull() for arg in args))
        picked = pick(*same)
        if isinstance(call.type, t.FloatType | t.DoubleType):
            # Spark has no order of 0.0 and -0.0; the sum of zeros is -0.0 if all are.
            zeros = (F.when(value == 0, value * sign).otherwise(F.lit(-0.0)) for value in same)
            picked = F.when(
                picked == 0, (reduce(lambda a, b: a + b, zeros) * sign).cast(to_spark(call.type))
            ).otherwise(picked)
        return F.when(known, picked)

    return translate


translates("$GREATEST$1")(_extreme(F.greatest, 1))
translates("$LEAST$1")(_extreme(F.least, -1))
