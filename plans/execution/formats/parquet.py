"""The format `parquet`, read and written by Spark.

Source: Flink's page "Parquet". Timestamps are written as Flink writes them, as INT96, and read in all forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.formats.parquet import SPEC
from compiled_plan.plans.execution.formats.base import ONE_FILE, FormatTable, Order, register
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.types import schema_of, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader


class ParquetFormat:
    """`parquet`: inserts only. Its options go on to Parquet's library, as in Flink."""

    spec = SPEC

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        """Rows of files; see `FileFormat.scan`."""
        rows = files.schema(zoned(schema_of(spec.row))).parquet(path)
        columns = [
            F.col(_quoted(field.name)).cast(to_spark(field.type)).alias(f"c{index}")
            for index, field in enumerate(spec.row.fields)
        ]
        return rows.select(
            F.lit(INSERT).cast("tinyint").alias(KIND), *order.columns(rows.sparkSession), *columns, *extra
        )

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        """The columns of the files; see `FileFormat.columns`."""
        schema = zoned(schema_of(spec.row))
        columns = [
            F.col(f"c{index}").cast(field.dataType).alias(field.name) for index, field in enumerate(schema.fields)
        ]
        # The kind takes part in one column, or its check would be optimised away.
        columns[0] = F.when(F.col(KIND) == INSERT, columns[0]).alias(schema.fields[0].name)
        return columns

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        """Files of rows; see `FileFormat.writer`."""
        writer = rows.write.format("parquet")
        for name, value in spec.options.items():
            writer = writer.option(f"parquet.{name}", value)
        return writer.option("compression", spec.options.get("compression", "snappy").lower())

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file whose footer counts no rows; see `Format.is_empty`."""
        jvm: Any = spark._jvm
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        place = java_class(jvm, "org.apache.hadoop.fs.Path")(path)
        file = java_class(jvm, "org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(place, conf)
        reader = java_class(jvm, "org.apache.parquet.hadoop.ParquetFileReader").open(file)
        try:
            return int(reader.getRecordCount()) == 0
        finally:
            reader.close()


def zoned(type_: s.StructType) -> s.StructType:
    """The same schema with TIMESTAMP for TIMESTAMP_NTZ: the form that INT96 has; the session's zone is UTC."""
    return s.StructType([s.StructField(field.name, _zoned_type(field.dataType)) for field in type_.fields])


def _zoned_type(type_: s.DataType) -> s.DataType:
    match type_:
        case s.TimestampNTZType():
            return s.TimestampType()
        case s.ArrayType():
            return s.ArrayType(_zoned_type(type_.elementType))
        case s.MapType():
            return s.MapType(_zoned_type(type_.keyType), _zoned_type(type_.valueType))
        case s.StructType():
            return zoned(type_)
    return type_


def _quoted(name: str) -> str:
    return t.quote_identifier(name)


register(ParquetFormat())
