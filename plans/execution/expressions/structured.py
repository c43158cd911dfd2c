"""Objects of structured types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.collections import operand_as
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import Family

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)


@translates("$OBJECT_OF$1")
def _object_of(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.struct(*_fields(call, args, context))


@translates("$OBJECT_UPDATE$1")
def _object_update(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.when(args[0].isNotNull(), F.struct(*_fields(call, args, context)))


def _fields(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Iterator[Column]:
    """The fields of the result: the values in the call, or else those of the object that is the first operand."""
    assert isinstance(call.type, t.FieldsType)
    places = {constant(call.operands[index]): index + 1 for index in range(1, len(args), 2)}
    for field in call.type.fields:
        at = places.get(field.name)
        value = args[0].getField(field.name) if at is None else operand_as(call, args, at, field.type, context)
        yield value.alias(field.name)
