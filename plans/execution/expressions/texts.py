"""Values as text, as CAST(... AS STRING) writes them."""

from __future__ import annotations

from collections.abc import Callable
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
"""Up to this scale Spark writes decimals without an exponent."""


def to_text(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """The STRING of a value.

    Raises:
        UnsupportedError: a type that has no text.
    """
    writer = next((found for kind, found in _WRITERS if isinstance(type_, kind)), None)
    if writer is None:
        raise context.unsupported(f"values of type {type_} have no text")
    return writer(column, type_, context)


def _plain(column: Column, _: t.LogicalType, __: ExpressionContext) -> Column:
    return column.cast("string")


def _boolean(column: Column, _: t.LogicalType, __: ExpressionContext) -> Column:
    return F.upper(column.cast("string"))


def _bytes(column: Column, _: t.LogicalType, __: ExpressionContext) -> Column:
    return java("UTF8", "string", column)


def _decimal(column: Column, type_: t.LogicalType, _: ExpressionContext) -> Column:
    scale = type_.scale if isinstance(type_, t.DecimalType) else 0
    return column.cast("string") if scale <= _PLAIN_SCALE else java("DECIMAL_TO_TEXT", "string", column)


def _timestamp(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    assert isinstance(type_, t.TimestampBase)
    local = to_local(column, context.time_zone) if isinstance(type_, t.TimestampLtzType) else column
    pattern = "yyyy-MM-dd HH:mm:ss" + ("." + "S" * type_.precision if type_.precision else "")
    return F.date_format(local, pattern)


def _time(column: Column, type_: t.LogicalType, _: ExpressionContext) -> Column:
    precision = type_.precision if isinstance(type_, t.TimeType) else 0
    return java("TIME_TO_TEXT", "string", column, options=(str(precision),))


def _months(column: Column, _: t.LogicalType, __: ExpressionContext) -> Column:
    return java("MONTHS_TO_TEXT", "string", column)


def _millis(column: Column, _: t.LogicalType, __: ExpressionContext) -> Column:
    return java("MILLIS_TO_TEXT", "string", column)


def _or_null(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    return F.coalesce(to_text(column, type_, context), F.lit("NULL"))


def _array(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    assert isinstance(type_, t.ArrayType)
    items = lambdas.transform(column, lambda item: _or_null(item, type_.element, context))
    return F.concat(F.lit("["), F.array_join(items, ", "), F.lit("]"))


def _map(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    key, value = (type_.key, type_.value) if isinstance(type_, t.MapType) else (next(type_.children()), t.INT)
    items = lambdas.transform(
        F.map_entries(column),
        lambda item: F.concat(
            _or_null(item.getField("key"), key, context), F.lit("="), _or_null(item.getField("value"), value, context)
        ),
    )
    return F.concat(F.lit("{"), F.array_join(items, ", "), F.lit("}"))


def _row(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    assert isinstance(type_, t.FieldsType)
    named = isinstance(type_, t.StructuredType)
    parts: list[Column] = []
    for field in type_.fields:
        if parts:
            parts.append(F.lit(", "))
        if named:
            parts.append(F.lit(f"{field.name}="))
        parts.append(_or_null(column.getField(field.name), field.type, context))
    text = F.concat(F.lit("("), *parts, F.lit(")"))
    return F.when(column.isNotNull(), text)


_Writer = Callable[["Column", t.LogicalType, "ExpressionContext"], "Column"]
_WRITERS: tuple[tuple[type[t.LogicalType], _Writer], ...] = (
    (t.BooleanType, _boolean),
    (t.DecimalType, _decimal),
    (t.NumericType, _plain),
    (t.CharacterType, _plain),
    (t.BytesType, _bytes),
    (t.DateType, _plain),
    (t.TimeType, _time),
    (t.TimestampBase, _timestamp),
    (t.YearMonthIntervalType, _months),
    (t.DayTimeIntervalType, _millis),
    (t.ArrayType, _array),
    (t.MapType, _map),
    (t.MultisetType, _map),
    (t.FieldsType, _row),
)
