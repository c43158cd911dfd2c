"""Values as text, in the format of CAST(... AS STRING)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.zones import to_local
from compiled_plan.plans.execution.spark import lambdas

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext

_PLAIN_SCALE = 6
"""The largest scale at which Spark writes decimals without an exponent."""


def to_text(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """The STRING of a value.

    Raises:
        UnsupportedError: a type without a text.
    """
    match type_:
        case t.BooleanType():
            return F.upper(column.cast("string"))
        case t.DecimalType():
            return decimal_text(column, type_)
        case t.NumericType() | t.CharacterType() | t.DateType():
            return column.cast("string")
        case t.BytesType():
            return java("UTF8", "string", column)
        case t.BitmapType():
            return java("BITMAP_TO_STRING", "string", column)
        case t.VariantType():
            return java("VARIANT_TEXT", "string", column)
        case t.TimeType():
            return java("TIME_TO_TEXT", "string", column, options=(str(type_.precision),))
        case t.TimestampBase():
            local = to_local(column, context.time_zone) if isinstance(type_, t.TimestampLtzType) else column
            pattern = "yyyy-MM-dd HH:mm:ss" + ("." + "S" * type_.precision if type_.precision else "")
            return F.date_format(local, pattern)
        case t.YearMonthIntervalType():
            return java("MONTHS_TO_TEXT", "string", column)
        case t.DayTimeIntervalType():
            return java("MILLIS_TO_TEXT", "string", column)
        case t.ArrayType():
            items = lambdas.transform(column, lambda item: _or_null(item, type_.element, context))
            return F.concat(F.lit("["), F.array_join(items, ", "), F.lit("]"))
        case t.MapType() | t.MultisetType():
            entries = lambdas.transform(F.map_entries(column), lambda item: _entry(item, *entry_types(type_), context))
            return F.concat(F.lit("{"), F.array_join(entries, ", "), F.lit("}"))
        case t.FieldsType():
            return F.when(column.isNotNull(), _row(column, type_, context))
    raise context.unsupported(f"values of type {type_} have no text")


def decimal_text(column: Column, type_: t.DecimalType) -> Column:
    """A decimal as text without an exponent."""
    return column.cast("string") if type_.scale <= _PLAIN_SCALE else java("DECIMAL_TO_TEXT", "string", column)


def entry_types(type_: t.MapType | t.MultisetType) -> tuple[t.LogicalType, t.LogicalType]:
    """The types of key and value; a multiset is a map from element to count."""
    return (type_.key, type_.value) if isinstance(type_, t.MapType) else (type_.element, t.INT)


def _or_null(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    return F.coalesce(to_text(column, type_, context), F.lit("NULL"))


def _entry(item: Column, key: t.LogicalType, value: t.LogicalType, context: ExpressionContext) -> Column:
    parts = (_or_null(item.getField("key"), key, context), _or_null(item.getField("value"), value, context))
    return F.concat(parts[0], F.lit("="), parts[1])


def _row(column: Column, type_: t.FieldsType, context: ExpressionContext) -> Column:
    parts: list[Column] = []
    for field in type_.fields:
        if parts:
            parts.append(F.lit(", "))
        if isinstance(type_, t.StructuredType):
            parts.append(F.lit(f"{field.name}="))
        parts.append(_or_null(column.getField(field.name), field.type, context))
    return F.concat(F.lit("("), *parts, F.lit(")"))
