"""The columns of a table beside those of its data source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import DataError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.spark.types import from_spark, to_spark

if TYPE_CHECKING:
    from pyspark.sql import types as s

_REMEDY = "declare the columns as the data source has them, and CAST in a query or view"


def check_columns(table: TableSpec, given: s.StructType, provider: str) -> None:
    """Refuse a table whose columns its data source has not, or with other types; it may have more.

    Args:
        given: what the data source has.
        provider: its name, for messages.

    Raises:
        DataError: names the column and both types.
    """
    found = {field.name: field.dataType for field in given.fields}
    for column in table.columns.fields:
        own = found.get(column.name)
        if own is None:
            other = next((name for name in found if name.lower() == column.name.lower()), None)
            raise DataError(
                f"provider {provider!r} has no column {column.name!r}",
                where=f"table {table.identifier}",
                remedy=f"write it as {other!r}: names have a case"
                if other
                else f"its columns are: {', '.join(found) or 'none'}",
            )
        if not same_type(to_spark(column.type), own):
            raise DataError(
                f"column {column.name!r} is {_plain(column.type)}, and provider {provider!r} has it as {_shown(own)}",
                where=f"table {table.identifier}",
                remedy=_REMEDY,
            )


def same_type(one: s.DataType, other: s.DataType) -> bool:
    """Whether values of two types are the same, whatever may be null; lengths of strings do not count."""
    from pyspark.sql import types as s

    match one, other:
        case s.ArrayType(), s.ArrayType():
            return same_type(one.elementType, other.elementType)
        case s.MapType(), s.MapType():
            return same_type(one.keyType, other.keyType) and same_type(one.valueType, other.valueType)
        case s.StructType(), s.StructType():
            return one.names == other.names and all(
                same_type(a.dataType, b.dataType) for a, b in zip(one.fields, other.fields, strict=True)
            )
        case s.StringType(), s.StringType() | s.CharType() | s.VarcharType():
            return True
    return one == other


def _plain(type_: t.LogicalType) -> str:
    return str(type_.with_nullability(True))


def _shown(type_: s.DataType) -> str:
    """A type of Spark in Flink's words, where there are such."""
    try:
        return str(from_spark(type_))
    except UnsupportedError:
        return f"Spark's {type_.simpleString()}"
