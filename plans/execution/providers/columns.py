"""Comparison of a table's columns with those of its data source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import DataError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.spark.types import from_spark, to_spark
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column

_REMEDY = "declare the columns as the data source has them, and CAST in a query or view"


def check_columns(table: TableSpec, columns: s.StructType, origin: str, *, lacks: bool = False) -> None:
    """Refuse a table with columns that its data source lacks or has with other types; extra columns are allowed.

    Args:
        columns: the columns of the data source.
        origin: the data source, for messages.
        lacks: True if it may lack columns.

    Raises:
        DataError: names the column and both types.
    """
    types = {field.name: field.dataType for field in columns.fields}
    for column in table.columns.fields:
        own = types.get(column.name)
        if own is None:
            match = next((name for name in types if name.lower() == column.name.lower()), None)
            if lacks and match is None:
                continue
            raise DataError(
                f"{origin} has no column {column.name!r}",
                where=f"table {table.identifier}",
                remedy=f"write it as {match!r}: names are case-sensitive"
                if match
                else f"its columns are: {', '.join(types) or 'none'}",
            )
        if not same_type(to_spark(column.type), own):
            raise DataError(
                f"column {column.name!r} is {_plain(column.type)}, and {origin} has it as {_shown(own)}",
                where=f"table {table.identifier}",
                remedy=_REMEDY,
            )


def plan_columns(table: TableSpec) -> list[Column]:
    """The columns of a table from those of its data source; null for columns that the plan does not use."""
    used = set(table.used)
    return [
        F.col(quote_identifier(field.name)) if field.name in used else F.lit(None).cast(to_spark(field.type))
        for field in table.columns.fields
    ]


def same_type(left: s.DataType, right: s.DataType) -> bool:
    """Return True if two types have the same values, ignoring nullability and lengths of strings."""
    match left, right:
        case s.ArrayType(), s.ArrayType():
            return same_type(left.elementType, right.elementType)
        case s.MapType(), s.MapType():
            return same_type(left.keyType, right.keyType) and same_type(left.valueType, right.valueType)
        case s.StructType(), s.StructType():
            return left.names == right.names and all(
                same_type(a.dataType, b.dataType) for a, b in zip(left.fields, right.fields, strict=True)
            )
        case s.StringType(), s.StringType() | s.CharType() | s.VarcharType():
            return True
    return left == right


def _plain(type_: t.LogicalType) -> str:
    return str(type_.with_nullability(True))


def _shown(type_: s.DataType) -> str:
    """A Spark type in Flink's terms, if there is an equivalent."""
    try:
        return str(from_spark(type_))
    except UnsupportedError:
        return f"Spark's {type_.simpleString()}"
