"""The format `orc`, read and written by Spark.

Source: Flink's page "ORC". A TIMESTAMP of an ORC file is local time. Spark reads it as the instant at which a clock in
the JVM's zone shows it, and has no mapping for TIMESTAMP without zone, so values are shifted by the zone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.formats.orc import SPEC
from compiled_plan.plans.execution.formats.base import register, walk
from compiled_plan.plans.execution.formats.parquet import LibraryFormat
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_UTC = frozenset(("UTC", "GMT", "Etc/UTC", "Z", "Universal", "Zulu", "Etc/UCT", "UCT"))


class OrcFormat(LibraryFormat):
    spec = SPEC
    compression = ("orc.compress", "compress", "zlib")

    def moved(self, column: Column, type_: t.LogicalType, spark: SparkSession, *, reading: bool) -> Column:
        """A column with every TIMESTAMP in it shifted by the JVM's zone."""
        zone = str(java_class(spark._jvm, "java.util.TimeZone").getDefault().getID())
        move = F.from_utc_timestamp if reading else F.to_utc_timestamp
        return column if zone in _UTC else _moved(column, type_, lambda time: move(time, zone))

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """Return True for a file whose footer counts no rows."""
        library = java_class(spark._jvm, "org.apache.orc.OrcFile")
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        reader = library.createReader(
            java_class(spark._jvm, "org.apache.hadoop.fs.Path")(path), library.readerOptions(conf)
        )
        try:
            return int(reader.getNumberOfRows()) == 0
        finally:
            reader.close()


def _moved(column: Column, type_: t.LogicalType, move: Callable[[Column], Column]) -> Column:
    if not any(isinstance(part, t.TimestampType) for part in walk(type_)):
        return column
    match type_:
        case t.TimestampType():
            return move(column)
        case t.ArrayType():
            return lambdas.transform(column, lambda item: _moved(item, type_.element, move))
        case t.MapType():
            keys = lambdas.transform_keys(column, lambda key, value: _moved(key, type_.key, move))
            return lambdas.transform_values(keys, lambda key, value: _moved(value, type_.value, move))
        case t.FieldsType():
            fields = [_moved(column[field.name], field.type, move).alias(field.name) for field in type_.fields]
            return F.when(column.isNotNull(), F.struct(*fields))
    return column


register(OrcFormat())
