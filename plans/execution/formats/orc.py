"""The format `orc`, read and written by Spark.

Source: Flink's page "ORC". A TIMESTAMP of an ORC file is a wall clock's time; Spark takes it as the moment at which a
clock in the JVM's zone shows that time, and has no form for a TIMESTAMP without zone, so values are moved by the zone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.formats.orc import SPEC
from compiled_plan.plans.execution.formats.base import ONE_FILE, FormatTable, Order, register, walk
from compiled_plan.plans.execution.formats.parquet import zoned
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.types import schema_of, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_UTC = frozenset(("UTC", "GMT", "Etc/UTC", "Z", "Universal", "Zulu", "Etc/UCT", "UCT"))


class OrcFormat:
    """`orc`: inserts only. Its options go on to ORC's library, as in Flink."""

    spec = SPEC

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        """Rows of files; see `FileFormat.scan`."""
        rows = files.schema(zoned(schema_of(spec.row))).orc(path)
        zone = _zone(rows.sparkSession)
        columns = [
            _moved(
                F.col(t.quote_identifier(field.name)), field.type, lambda time: F.from_utc_timestamp(time, zone), zone
            )
            .cast(to_spark(field.type))
            .alias(f"c{index}")
            for index, field in enumerate(spec.row.fields)
        ]
        return rows.select(
            F.lit(INSERT).cast("tinyint").alias(KIND), *order.columns(rows.sparkSession), *columns, *extra
        )

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        """The columns of the files; see `FileFormat.columns`."""
        zone = _zone(spark)
        columns = [
            _moved(
                F.col(f"c{index}").cast(written.dataType), field.type, lambda time: F.to_utc_timestamp(time, zone), zone
            ).alias(written.name)
            for index, (written, field) in enumerate(
                zip(zoned(schema_of(spec.row)).fields, spec.row.fields, strict=True)
            )
        ]
        # The kind takes part in one column, or its check would be optimised away.
        columns[0] = F.when(F.col(KIND) == INSERT, columns[0]).alias(spec.row.names[0])
        return columns

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        """Files of rows; see `FileFormat.writer`."""
        writer = rows.write.format("orc")
        for name, value in spec.options.items():
            writer = writer.option(f"orc.{name}", value)
        return writer.option("orc.compress", spec.options.get("compress", "zlib").lower())

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file whose footer counts no rows; see `Format.is_empty`."""
        jvm: Any = spark._jvm
        library = java_class(jvm, "org.apache.orc.OrcFile")
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        reader = library.createReader(java_class(jvm, "org.apache.hadoop.fs.Path")(path), library.readerOptions(conf))
        try:
            return int(reader.getNumberOfRows()) == 0
        finally:
            reader.close()


def _zone(spark: SparkSession) -> str:
    """The zone of the JVM's clock."""
    jvm: Any = spark._jvm
    return str(java_class(jvm, "java.util.TimeZone").getDefault().getID())


def _moved(column: Column, type_: t.LogicalType, move: Callable[[Column], Column], zone: str) -> Column:
    """A column with every TIMESTAMP within it moved; nothing is done where the zone is UTC."""
    if zone in _UTC or not any(isinstance(found, t.TimestampType) for found in walk(type_)):
        return column
    match type_:
        case t.TimestampType():
            return move(column)
        case t.ArrayType():
            return lambdas.transform(column, lambda item: _moved(item, type_.element, move, zone))
        case t.MapType():
            keys = lambdas.transform_keys(column, lambda key, value: _moved(key, type_.key, move, zone))
            return lambdas.transform_values(keys, lambda key, value: _moved(value, type_.value, move, zone))
        case t.FieldsType():
            fields = [_moved(column[field.name], field.type, move, zone).alias(field.name) for field in type_.fields]
            return F.when(column.isNotNull(), F.struct(*fields))
    return column


register(OrcFormat())
