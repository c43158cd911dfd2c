"""Keys of stages: one text for the key columns of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.zones import as_point
from compiled_plan.plans.execution.spark import lambdas

if TYPE_CHECKING:
    from pyspark.sql import Column

_NULL = "~"
_PLAIN_SCALE = 6


def canonical_key(columns: Sequence[Column], types: Sequence[t.LogicalType]) -> Column:
    """One STRING, equal for two rows exactly when all their key columns are equal, a null equal to a null.

    Floating numbers are equal by their bits, as in Flink: -0.0 is not 0.0, NaN is NaN, and FLOAT has the bits of the
    DOUBLE that it equals. Decimals are equal by value whatever their scale, whole numbers whatever their width. The
    text depends on no zone, locale or version of Java. Built of native expressions (floating numbers, and decimals of
    more than 6 decimal places, aside).

    Args:
        columns: the key columns; none gives a constant.
        types: their logical types, one each.

    Raises:
        UnsupportedError: a type that no key can have.
    """
    if not columns:
        return F.lit("")
    parts: list[Column] = []
    for position, (column, type_) in enumerate(zip(columns, types, strict=True)):
        if parts:
            parts.append(F.lit(","))
        # The last text needs no length: it ends where the key ends.
        last = position == len(columns) - 1 and isinstance(type_, t.CharacterType)
        text = F.concat(F.lit("="), column) if last else value_text(column, type_)
        parts.append(F.coalesce(text, F.lit(_NULL)))
    return F.concat(*parts) if len(parts) > 1 else parts[0]


def _part(column: Column, type_: t.LogicalType) -> Column:
    return F.coalesce(value_text(column, type_), F.lit(_NULL))


def value_text(column: Column, type_: t.LogicalType) -> Column:
    """The text of a value, null for null; of one type, no text is the beginning of another followed by , ) or ]."""
    writer = next((found for kind, found in _WRITERS if isinstance(type_, kind)), None)
    if writer is None:
        raise UnsupportedError(
            f"a column of type {type_} cannot be a key",
            remedy="group, join or partition by a cast of it, such as STRING",
        )
    return writer(column, type_)


def _plain(column: Column, _: t.LogicalType) -> Column:
    return column.cast("string")


def _floating(column: Column, _: t.LogicalType) -> Column:
    return F.hex(java("DOUBLE_BITS", "bigint", column.cast("double")))


def _decimal(column: Column, type_: t.LogicalType) -> Column:
    scale = type_.scale if isinstance(type_, t.DecimalType) else 0
    if scale == 0:
        return F.concat(column.cast("string"), F.lit("."))
    text = column.cast("string") if scale <= _PLAIN_SCALE else java("DECIMAL_TO_TEXT", "string", column)
    return F.rtrim(text, F.lit("0"))


def _string(column: Column, _: t.LogicalType) -> Column:
    return F.concat(F.length(column).cast("string"), F.lit(":"), column)


def _bytes(column: Column, _: t.LogicalType) -> Column:
    return F.hex(column)


def _date(column: Column, _: t.LogicalType) -> Column:
    return F.unix_date(column).cast("string")


def _timestamp(column: Column, _: t.LogicalType) -> Column:
    return F.unix_micros(as_point(column)).cast("string")


def _array(column: Column, type_: t.LogicalType) -> Column:
    assert isinstance(type_, t.ArrayType)
    items = lambdas.transform(column, lambda item: _part(item, type_.element))
    return F.concat(F.size(column).cast("string"), F.lit("["), F.array_join(items, ","), F.lit("]"))


def _map(column: Column, type_: t.LogicalType) -> Column:
    key, value = (type_.key, type_.value) if isinstance(type_, t.MapType) else (next(type_.children()), t.INT)
    entries = lambdas.transform(
        F.map_entries(column),
        lambda item: F.concat(_part(item.getField("key"), key), F.lit("="), _part(item.getField("value"), value)),
    )
    return F.concat(F.size(column).cast("string"), F.lit("["), F.array_join(F.sort_array(entries), ","), F.lit("]"))


def _row(column: Column, type_: t.LogicalType) -> Column:
    assert isinstance(type_, t.FieldsType)
    parts: list[Column] = [F.lit("(")]
    for field in type_.fields:
        parts += [_part(column.getField(field.name), field.type), F.lit(",")]
    return F.when(column.isNotNull(), F.concat(*parts, F.lit(")")))


_Writer = Callable[["Column", t.LogicalType], "Column"]
_WRITERS: tuple[tuple[type[t.LogicalType], _Writer], ...] = (
    (t.DecimalType, _decimal),
    (t.FloatType, _floating),
    (t.DoubleType, _floating),
    (t.NumericType, _plain),
    (t.BooleanType, _plain),
    (t.IntervalType, _plain),
    (t.TimeType, _plain),
    (t.CharacterType, _string),
    (t.BytesType, _bytes),
    (t.RawType, _bytes),
    (t.DateType, _date),
    (t.TimestampBase, _timestamp),
    (t.ArrayType, _array),
    (t.MapType, _map),
    (t.MultisetType, _map),
    (t.FieldsType, _row),
)
