"""Digits of times beyond the precision of their type.

Flink does not truncate values where they enter: a TIMESTAMP(3) read from `.123456`, or returned by a function, has all
six digits until its row is sent to another task, which serializes it: a time of a precision up to 3 as milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.zones import as_local, as_point
from compiled_plan.plans.execution.spark import lambdas

if TYPE_CHECKING:
    from pyspark.sql import Column

_MILLIS = 3
_MICROS = 6


def cut(column: Column, type_: t.TimestampBase, digits: int) -> Column:
    """A timestamp truncated to a number of digits, as a value of the type; `column` may be the instant in UTC."""
    micros = F.unix_micros(as_point(column))
    if digits < _MICROS:
        micros = micros - F.pmod(micros, F.lit(10 ** (_MICROS - digits)))
    point = F.timestamp_micros(micros)
    return as_local(point) if isinstance(type_, t.TimestampType) else point


def as_sent(column: Column, type_: t.LogicalType) -> Column:
    """A value as another task receives it.

    Keys of maps and multisets keep their digits: without them, two might be equal.
    """
    return _converted(column, type_, sent=True) if _loses(type_) else column


def as_passed(column: Column, type_: t.LogicalType) -> Column:
    """A value as the next operator of the same task receives it: Flink serializes maps alone."""
    return _converted(column, type_, sent=False) if _has_losing_map(type_) else column


def _converted(column: Column, type_: t.LogicalType, *, sent: bool) -> Column:
    inner = as_sent if sent else as_passed
    match type_:
        case t.TimestampBase():
            return cut(column, type_, _MILLIS)
        case t.ArrayType():
            return lambdas.transform(column, lambda item: inner(item, type_.element))
        case t.MapType():
            return lambdas.transform_values(column, lambda _, value: as_sent(value, type_.value))
        case t.FieldsType():
            fields = (inner(column.getField(field.name), field.type).alias(field.name) for field in type_.fields)
            return F.when(column.isNotNull(), F.struct(*fields))
    return column


def _loses(type_: t.LogicalType) -> bool:
    if isinstance(type_, t.TimestampBase):
        return type_.precision <= _MILLIS
    return any(map(_loses, type_.children()))


def _has_losing_map(type_: t.LogicalType) -> bool:
    if isinstance(type_, t.MapType):
        return _loses(type_)
    return any(map(_has_losing_map, type_.children()))
