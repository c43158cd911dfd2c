"""Times of last write that are not known: a savepoint of Flink has none where the TTL is 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.execution.spark.lambdas import transform

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The fields with a time of last write.
WRITES = ("lastWrite", "lastChange")
#: These, and the earliest of a list of rows.
_TIMES = (*WRITES, "oldest")
#: The time in ms that stands for an unknown one: no run writes state in 1970.
NO_TIME = 0


def without_writes(frame: DataFrame, name: str, moment: int) -> DataFrame:
    """Replace a time of last write by null, everywhere in a column.

    Args:
        frame: the rows.
        name: the column, a struct.
        moment: the time in ms.
    """
    return frame.withColumn(name, _without(F.col(name), frame.schema[name].dataType, F.timestamp_millis(F.lit(moment))))


def _without(column: Column, type_: s.DataType, moment: Column) -> Column:
    if not _has_write(type_):
        return column
    if isinstance(type_, s.ArrayType):
        element = type_.elementType
        return transform(column, lambda item: _without(item, element, moment))
    assert isinstance(type_, s.StructType)
    fields = []
    for field in type_.fields:
        value = column.getField(field.name)
        if field.name in _TIMES:
            value = F.when(value != moment, value)
        fields.append(_without(value, field.dataType, moment).alias(field.name))
    return F.when(column.isNotNull(), F.struct(*fields))


def _has_write(type_: s.DataType) -> bool:
    if isinstance(type_, s.ArrayType):
        return _has_write(type_.elementType)
    return isinstance(type_, s.StructType) and any(
        field.name in _TIMES or _has_write(field.dataType) for field in type_.fields
    )
