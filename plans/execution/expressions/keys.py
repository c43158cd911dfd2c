"""Keys of stages: one text for the key columns of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.texts import decimal_text, entry_types
from compiled_plan.plans.execution.expressions.zones import as_point
from compiled_plan.plans.execution.spark import lambdas

if TYPE_CHECKING:
    from pyspark.sql import Column

_NULL = "~"


def canonical_key(columns: Sequence[Column], types: Sequence[t.LogicalType]) -> Column:
    """One STRING, equal for two rows if and only if all their key columns are equal; nulls are equal.

    Floating-point numbers are equal by their bits, as in Flink: -0.0 is not 0.0, NaN is NaN, and FLOAT has the bits of
    the equal DOUBLE. Decimals are equal by value regardless of scale, integers regardless of width. The text does not
    depend on zone, locale or Java version. Built of native expressions (except floating-point numbers, and decimals
    of more than 6 decimal places).

    Args:
        columns: the key columns; an empty sequence gives a constant.
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
        # The last text needs no length prefix: it ends where the key ends.
        last = position == len(columns) - 1 and isinstance(type_, t.CharacterType)
        text = F.concat(F.lit("="), column) if last else value_text(column, type_)
        parts.append(F.coalesce(text, F.lit(_NULL)))
    text = F.concat(*parts) if len(parts) > 1 else parts[0]
    return _valid(text) if any(map(_has_text, types)) else text


def _valid(text: Column) -> Column:
    """A key as UTF-8: the format raw may read other bytes, which Spark would replace in it."""
    return F.coalesce(F.try_validate_utf8(text), F.concat(F.lit("!"), F.hex(text)))


def _has_text(type_: t.LogicalType) -> bool:
    return isinstance(type_, t.CharacterType) or any(map(_has_text, type_.children()))


def _part(column: Column, type_: t.LogicalType) -> Column:
    return F.coalesce(value_text(column, type_), F.lit(_NULL))


def value_text(column: Column, type_: t.LogicalType) -> Column:
    """The text of a value, null for null; no text of a type is a prefix of another followed by , ) or ]."""
    match type_:
        case t.DecimalType(scale=0):
            return F.concat(column.cast("string"), F.lit("."))
        case t.DecimalType():
            return F.rtrim(decimal_text(column, type_), F.lit("0"))
        case t.FloatType() | t.DoubleType():
            return F.hex(java("DOUBLE_BITS", "bigint", column.cast("double")))
        case t.NumericType() | t.BooleanType() | t.IntervalType() | t.TimeType():
            return column.cast("string")
        case t.CharacterType():
            return F.concat(F.length(column).cast("string"), F.lit(":"), column)
        case t.BytesType() | t.RawType() | t.BitmapType() | t.VariantType():
            return F.hex(column)
        case t.DateType():
            return F.unix_date(column).cast("string")
        case t.TimestampBase():
            return F.unix_micros(as_point(column)).cast("string")
        case t.ArrayType():
            return _items(column, lambdas.transform(column, lambda item: _part(item, type_.element)))
        case t.MapType() | t.MultisetType():
            entries = lambdas.transform(F.map_entries(column), lambda item: _entry(item, *entry_types(type_)))
            return _items(column, F.sort_array(entries))
        case t.FieldsType():
            parts: list[Column] = [F.lit("(")]
            for field in type_.fields:
                parts += [_part(column.getField(field.name), field.type), F.lit(",")]
            return F.when(column.isNotNull(), F.concat(*parts, F.lit(")")))
    raise UnsupportedError(
        f"a column of type {type_} cannot be a key", remedy="group, join or partition by a cast of it, such as STRING"
    )


def _items(column: Column, texts: Column) -> Column:
    return F.concat(F.size(column).cast("string"), F.lit("["), F.array_join(texts, ","), F.lit("]"))


def _entry(item: Column, key: t.LogicalType, value: t.LogicalType) -> Column:
    return F.concat(_part(item.getField("key"), key), F.lit("="), _part(item.getField("value"), value))
