"""Flink's logical types as Spark's types.

What a value of each type is in Spark:

- CHAR, VARCHAR are strings; their length is kept by casts, not by the type.
- TIME is an INT, milliseconds of the day. (Spark's own TIME is not supported in all files and functions.)
- TIMESTAMP is TIMESTAMP_NTZ and TIMESTAMP_LTZ is TIMESTAMP. Spark holds microseconds: of a precision beyond 6 the
  further digits are cut off.
- INTERVAL YEAR TO MONTH is an INT, months; INTERVAL DAY TO SECOND is a BIGINT, milliseconds: as Flink holds them.
- MULTISET is a map from element to count.
- ROW and STRUCTURED are structs with the same field names.

Nullability is not carried over: every Spark column and field is nullable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pyspark.sql import types as s

from plans import types as t
from plans.errors import UnsupportedError

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
        UnsupportedError: a type that no Spark column can hold (RAW, VARIANT, TIMESTAMP WITH TIME ZONE, DESCRIPTOR).
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
        case t.FieldsType():
            return s.StructType([s.StructField(field.name, to_spark(field.type), True) for field in type_.fields])
    raise UnsupportedError(
        f"values of type {type_} cannot be held in Spark",
        remedy="cast it to another type before it is stored or sent on, such as STRING, BYTES or TIMESTAMP_LTZ",
    )


def ddl(type_: t.LogicalType) -> str:
    """The Spark type in DDL text, as `StructType.fromDDL` and Java functions take it: `struct<`a`:int>`."""
    return _ddl(to_spark(type_))


def schema_of(row: t.FieldsType) -> s.StructType:
    """The Spark schema of rows of a row type."""
    found = to_spark(row)
    assert isinstance(found, s.StructType)
    return found


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
