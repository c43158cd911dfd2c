"""Flink's logical types as Spark's types.

Representation of values in Spark:

- CHAR, VARCHAR are strings; casts enforce their length, not the type.
- TIME is an INT, milliseconds of the day. (Spark's own TIME is not supported in all files and functions.)
- TIMESTAMP is TIMESTAMP_NTZ and TIMESTAMP_LTZ is TIMESTAMP. Spark has microseconds: the digits of a precision beyond 6
  are truncated.
- INTERVAL YEAR TO MONTH is an INT, months; INTERVAL DAY TO SECOND is a BIGINT, milliseconds: as in Flink.
- MULTISET is a map from element to count.
- BITMAP is the portable serialization of a Roaring bitmap; equal bitmaps have equal bytes.
- VARIANT is the length of the metadata in four bytes, the metadata, the value: both in Spark's encoding.
- RAW of a Python object is its pickle; other RAW types have no representation.
- ROW and STRUCTURED are structs with the same field names.

Nullability is not converted: every Spark column and field is nullable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.types.held import REMEDY, unheld_text
from compiled_plan.plans.types.spark import logical_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SIMPLE: dict[type[t.LogicalType], Callable[[], s.DataType]] = {
    t.BooleanType: s.BooleanType,
    t.TinyIntType: s.ByteType,
    t.SmallIntType: s.ShortType,
    t.IntType: s.IntegerType,
    t.BigIntType: s.LongType,
    t.FloatType: s.FloatType,
    t.DoubleType: s.DoubleType,
    t.CharType: s.StringType,
    t.VarCharType: s.StringType,
    t.BinaryType: s.BinaryType,
    t.VarBinaryType: s.BinaryType,
    t.BitmapType: s.BinaryType,
    t.VariantType: s.BinaryType,
    t.DateType: s.DateType,
    t.TimeType: s.IntegerType,
    t.TimestampType: s.TimestampNTZType,
    t.TimestampLtzType: s.TimestampType,
    t.YearMonthIntervalType: s.IntegerType,
    t.DayTimeIntervalType: s.LongType,
    t.NullType: s.NullType,
}


@lru_cache(maxsize=4096)
def to_spark(type_: t.LogicalType) -> s.DataType:
    """The Spark type that holds values of a logical type.

    Raises:
        UnsupportedError: a type without a Spark type (RAW, TIMESTAMP WITH TIME ZONE, DESCRIPTOR).
    """
    simple = _SIMPLE.get(type(type_))
    if simple is not None:
        return simple()
    match type_:
        case t.DecimalType():
            return s.DecimalType(type_.precision, type_.scale)
        case t.ArrayType():
            return s.ArrayType(to_spark(type_.element), True)
        case t.MapType():
            return s.MapType(to_spark(type_.key), to_spark(type_.value), True)
        case t.MultisetType():
            return s.MapType(to_spark(type_.element), s.IntegerType(), True)
        case t.RawType() if type_.serializer == t.PICKLE:
            return s.BinaryType()
        case t.FieldsType():
            return s.StructType([s.StructField(field.name, to_spark(field.type), True) for field in type_.fields])
    raise UnsupportedError(unheld_text(type_), remedy=REMEDY)


def ddl(type_: t.LogicalType) -> str:
    """The Spark type as DDL text, for `StructType.fromDDL` and Java functions: `struct<`a`:int>`."""
    return _ddl(to_spark(type_))


def schema_of(row: t.FieldsType) -> s.StructType:
    """The Spark schema of rows of a row type."""
    schema = to_spark(row)
    assert isinstance(schema, s.StructType)
    return schema


def _ddl(type_: s.DataType) -> str:
    match type_:
        case s.ArrayType():
            return f"array<{_ddl(type_.elementType)}>"
        case s.MapType():
            return f"map<{_ddl(type_.keyType)},{_ddl(type_.valueType)}>"
        case s.StructType():
            return f"struct<{','.join(_ddl_field(field) for field in type_.fields)}>"
    return type_.simpleString()


def _ddl_field(field: Any) -> str:
    name = field.name.replace("`", "``")
    return f"`{name}`:{_ddl(field.dataType)}"


def from_spark(type_: s.DataType, column: str = "") -> t.LogicalType:
    """The logical type of a column of a DataFrame.

    Args:
        type_: its type in Spark.
        column: its name, for errors.

    Raises:
        UnsupportedError: no logical type corresponds; names the column.
    """
    return logical_type(type_.jsonValue(), column)


def row_type_of(schema: s.StructType, names: Sequence[str]) -> t.RowType:
    """The columns of a DataFrame's schema under these names.

    Raises:
        UnsupportedError: a type has no logical type; names the column.
    """
    return t.RowType(
        fields=tuple(
            t.Field(name, from_spark(field.dataType, name).with_nullability(field.nullable))
            for name, field in zip(names, schema.fields, strict=True)
        )
    )


def cast_columns(frame: DataFrame, row_type: t.RowType) -> DataFrame:
    """The columns of a DataFrame in the representation of their types, named f0, f1 and so on."""
    columns = frame.toDF(*[f"f{at}" for at in range(len(row_type.fields))])
    return columns.select(
        *(F.col(f"f{at}").cast(to_spark(field.type)).alias(f"f{at}") for at, field in enumerate(row_type.fields))
    )
