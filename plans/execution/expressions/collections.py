"""Rows, structured values, arrays and maps. Positions count from 1; access beyond the end is null."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.casts import cast_column
from compiled_plan.plans.execution.expressions.functions import fail, java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant
from compiled_plan.plans.execution.expressions.registry import Family, Translator
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
# size(null) is -1 without ANSI mode.
translates.columns("$CARDINALITY$1", apply=lambda value: F.when(value.isNotNull(), F.size(value)))
translates.columns("$MAP_KEYS$1", apply=F.map_keys)
translates.columns("$MAP_VALUES$1", apply=F.map_values)
translates.kernel("ARRAY_JOIN")

_FLOATING = (t.FloatType, t.DoubleType)


def operand_as(
    call: Call, args: tuple[Column, ...], index: int, target: t.LogicalType, context: ExpressionContext
) -> Column:
    return cast_column(args[index], r.type_of(call.operands[index]), target, context)


def _element_type(call: Call) -> t.LogicalType:
    """The element type of the array that is the first operand."""
    array = r.type_of(call.operands[0])
    assert isinstance(array, t.ArrayType)
    return array.element


@translates("$ITEM$1", "$at$1", "$GET$1", "$get$1")
def _item(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    holder = r.type_of(call.operands[0])
    match holder:
        case t.ArrayType():
            return F.get(args[0], args[1].cast("int") - 1)
        case t.VariantType() if isinstance(r.type_of(call.operands[1]), t.CharacterType):
            return java("VARIANT_FIELD", "binary", args[0], args[1])
        case t.VariantType():
            return java("VARIANT_ELEMENT", "binary", args[0], args[1].cast("int"))
        case t.MapType():
            return args[0][operand_as(call, args, 1, holder.key, context)]
        case t.MultisetType():
            return args[0][operand_as(call, args, 1, holder.element, context)]
        case t.FieldsType():
            wanted = constant(call.operands[1])
            name = wanted if isinstance(wanted, str) else holder.names[int(wanted) - 1]
            return args[0].getField(name)
    raise context.unsupported(f"an item of a value of type {holder}")


@translates("$ELEMENT$1")
def _element(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    size = F.size(args[0])
    wrong = fail("ELEMENT needs an array of at most one element, it has ", size).cast(to_spark(call.type))
    return F.when(size > 1, wrong).otherwise(F.get(args[0], F.lit(0)))


@translates("$ROW$1")
def _row(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    row = call.type
    assert isinstance(row, t.FieldsType)
    return F.struct(
        *(
            operand_as(call, args, index, field.type, context).alias(field.name)
            for index, field in enumerate(row.fields)
        )
    )


@translates("$ARRAY$1")
def _array(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    assert isinstance(call.type, t.ArrayType)
    element = call.type.element
    array = F.array(*(operand_as(call, args, index, element, context) for index in range(len(args))))
    return array if args else array.cast(to_spark(call.type))


@translates("$MAP$1")
def _map(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    assert isinstance(call.type, t.MapType)
    sides = (call.type.key, call.type.value)
    map_ = F.create_map(*(operand_as(call, args, index, sides[index % 2], context) for index in range(len(args))))
    return map_ if args else map_.cast(to_spark(call.type))


def _needle(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return operand_as(call, args, 1, _element_type(call), context)


@translates("$ARRAY_CONTAINS$1")
def _contains(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    array, needle = args[0], _needle(call, args, context)
    if isinstance(_element_type(call), _FLOATING):
        # NaN equals nothing, here too.
        array = lambdas.filtered(array, lambda item: ~F.coalesce(F.isnan(item), F.lit(False)))
    contains = F.coalesce(F.array_contains(array, needle), F.lit(False))
    if not r.type_of(call.operands[1]).nullable:
        return F.when(args[0].isNotNull(), contains)
    either = F.when(needle.isNull(), lambdas.exists(array, lambda item: item.isNull())).otherwise(contains)
    return F.when(args[0].isNotNull(), either)


@translates("$ARRAY_POSITION$1")
def _position(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    needle = _needle(call, args, context)
    position = F.array_position(args[0], needle).cast("int")
    if not isinstance(_element_type(call), _FLOATING):
        return position
    return F.when(args[0].isNotNull() & F.isnan(needle), F.lit(0)).otherwise(position)


@translates("$ARRAY_REMOVE$1")
def _remove(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    needle = _needle(call, args, context)
    if isinstance(_element_type(call), _FLOATING):
        return lambdas.filtered(args[0], lambda item: F.isnan(item) | ~item.eqNullSafe(needle))
    return lambdas.filtered(args[0], lambda item: ~item.eqNullSafe(needle))


def _with_item(add: Callable[[Column, Column], Column]) -> Translator:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        assert isinstance(call.type, t.ArrayType)
        return add(_whole(call, args, 0, context), operand_as(call, args, 1, call.type.element, context))

    return translate


translates("$ARRAY_APPEND$1")(_with_item(F.array_append))
translates("$ARRAY_PREPEND$1")(_with_item(F.array_prepend))


def _whole(call: Call, args: tuple[Column, ...], index: int, context: ExpressionContext) -> Column:
    """An operand as a value of the result's type."""
    return operand_as(call, args, index, call.type, context)


def _same_type(*names: str, apply: Callable[..., Column]) -> None:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        return apply(*(_whole(call, args, index, context) for index in range(len(args))))

    translates(*names)(translate)


_same_type("$ARRAY_CONCAT$1", apply=F.concat)
_same_type("$ARRAY_REVERSE$1", apply=F.reverse)


def _set_operation(name: str, apply: Callable[..., Column]) -> None:
    """Register an operation on arrays as sets; Spark's differ for floating-point numbers, see the kernel's."""

    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        arrays = [_whole(call, args, index, context) for index in range(len(args))]
        assert isinstance(call.type, t.ArrayType)
        if isinstance(call.type.element, _FLOATING):
            return java(f"{name}_NUMBERS", call.type, *arrays)
        return apply(*arrays)

    translates(f"${name}$1")(translate)


_set_operation("ARRAY_DISTINCT", F.array_distinct)
_set_operation("ARRAY_UNION", F.array_union)
_set_operation("ARRAY_EXCEPT", F.array_except)
_set_operation("ARRAY_INTERSECT", F.array_intersect)


@translates("$ARRAY_SLICE$1")
def _slice(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    array, size = args[0], F.size(args[0])

    def place(index: Column) -> Column:
        """A position from 1; a negative one counts from the end, one before the start is the start."""
        return F.greatest(F.when(index < 0, size + index + 1).otherwise(index), F.lit(1))

    start = place(args[1].cast("int"))
    end = F.least(place(args[2].cast("int")), size) if len(args) > 2 else size
    known = array.isNotNull() & args[1].isNotNull()
    if len(args) > 2:
        known = known & args[2].isNotNull()
    return F.when(known, F.slice(array, start, F.greatest(end - start + 1, F.lit(0))))


def _extremum(pick: Callable[[Column], Column]) -> Translator:
    def translate(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
        if not isinstance(_element_type(call), _FLOATING):
            return pick(args[0])
        # Comparisons with NaN are false: as the first value it stays, as a later one it is skipped.
        first = F.get(lambdas.filtered(args[0], lambda item: item.isNotNull()), F.lit(0))
        ordered = pick(lambdas.filtered(args[0], lambda item: ~F.isnan(item)))
        return F.when(F.isnan(first), first).otherwise(ordered)

    return translate


translates("$ARRAY_MAX$1")(_extremum(F.array_max))
translates("$ARRAY_MIN$1")(_extremum(F.array_min))


@translates("$ARRAY_SORT$1")
def _sort(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    ascending = args[1] if len(args) > 1 else F.lit(True)
    nulls_first = args[2] if len(args) > 2 else ascending
    if isinstance(_element_type(call), _FLOATING):
        return java("ARRAY_SORT_NUMBERS", call.type, args[0], ascending, nulls_first)
    present = lambdas.filtered(args[0], lambda item: item.isNotNull())
    values = F.when(ascending, F.sort_array(present)).otherwise(F.sort_array(present, asc=False))
    nulls = lambdas.filtered(args[0], lambda item: item.isNull())
    # An order that is unknown gives NULL.
    return F.when(nulls_first & ascending.isNotNull(), F.concat(nulls, values)).when(
        ~nulls_first & ascending.isNotNull(), F.concat(values, nulls)
    )


@translates("$MAP_ENTRIES$1")
def _entries(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return F.map_entries(args[0]).cast(to_spark(call.type))


@translates("$MAP_FROM_ARRAYS$1")
def _from_arrays(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    keys, values = args
    wrong = fail("MAP_FROM_ARRAYS needs arrays of one length, they have ", F.size(keys), F.lit(" and "), F.size(values))
    return F.when(F.size(keys) != F.size(values), wrong.cast(to_spark(call.type))).otherwise(
        F.map_from_arrays(keys, values)
    )


_same_type("$MAP_UNION$1", apply=F.map_concat)
