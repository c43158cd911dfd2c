"""Objects of structured types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.collections import operand_as
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import translates

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


@translates("$OBJECT_OF$1")
def _object_of(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    assert isinstance(call.type, t.FieldsType)
    given = {constant(call.operands[index]): index + 1 for index in range(1, len(args), 2)}
    return F.struct(
        *(
            operand_as(call, args, given[field.name], field.type, context).alias(field.name)
            for field in call.type.fields
        )
    )


@translates("$OBJECT_UPDATE$1")
def _object_update(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    source = r.type_of(call.operands[0])
    assert isinstance(call.type, t.FieldsType) and isinstance(source, t.FieldsType)
    given = {constant(call.operands[index]): index + 1 for index in range(1, len(args), 2)}
    fields = []
    for field in call.type.fields:
        if field.name in given:
            value = operand_as(call, args, given[field.name], field.type, context)
        else:
            value = args[0].getField(field.name)
        fields.append(value.alias(field.name))
    return F.when(args[0].isNotNull(), F.struct(*fields))
