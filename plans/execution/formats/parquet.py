"""The format `parquet`, and code shared with `orc`: Spark reads and writes the files.

Source: Flink's page "Parquet". Timestamps are written as Flink writes them, as INT96, and read in all forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.formats.parquet import SPEC
from compiled_plan.plans.execution.formats.base import ONE_FILE, FormatTable, Order, checked_inserts, register
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.types import schema_of, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader


class LibraryFormat:
    """Base of the formats that Spark reads and writes with a library; inserts only.

    Their options are passed to the library, as in Flink.
    """

    spec: FormatSpec
    #: Spark's option for the compression, and the table's with its default.
    compression: tuple[str, str, str]

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        rows = files.schema(zoned(schema_of(spec.row))).format(self.spec.name).load(path)
        spark = rows.sparkSession
        columns = [
            self.moved(F.col(t.quote_identifier(field.name)), field.type, spark, reading=True)
            .cast(to_spark(field.type))
            .alias(f"c{index}")
            for index, field in enumerate(spec.row.fields)
        ]
        return rows.select(*order.head(spark), *columns, *extra)

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        columns = [
            self.moved(F.col(f"c{at}").cast(written.dataType), type_, spark, reading=False).alias(written.name)
            for at, (written, type_) in enumerate(zip(zoned(schema_of(spec.row)).fields, spec.row.types, strict=True))
        ]
        return checked_inserts(columns, spec.row.names[0])

    def moved(self, column: Column, type_: t.LogicalType, spark: SparkSession, *, reading: bool) -> Column:
        """Convert a column between its form in the files and its form in the table; unchanged by default."""
        return column

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        writer = rows.write.format(self.spec.name)
        for name, value in spec.options.items():
            writer = writer.option(f"{self.spec.name}.{name}", value)
        option, own, default = self.compression
        return writer.option(option, spec.options.get(own, default).lower())


class ParquetFormat(LibraryFormat):
    spec = SPEC
    compression = ("compression", "compression", "snappy")

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """Return True for a file whose footer counts no rows."""
        jvm, conf = spark._jvm, spark._jsparkSession.sessionState().newHadoopConf()
        place = java_class(jvm, "org.apache.hadoop.fs.Path")(path)
        file = java_class(jvm, "org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(place, conf)
        reader = java_class(jvm, "org.apache.parquet.hadoop.ParquetFileReader").open(file)
        try:
            return int(reader.getRecordCount()) == 0
        finally:
            reader.close()


def zoned(type_: s.StructType) -> s.StructType:
    """The schema with TIMESTAMP for TIMESTAMP_NTZ, as in INT96; the session's zone is UTC."""
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


register(ParquetFormat())
