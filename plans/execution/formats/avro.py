"""The format `avro`: Avro's container files, and records in messages, read and written by the kernel.

Source: Flink's page "Avro". The schema of written files is derived from the table's columns. A file of another writer
is read by its own schema: columns are matched by name, and its time units are respected. A message carries no schema,
so it must have the derived one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.connectors.avro_schemas import avro_schema
from compiled_plan.plans.connectors.formats.avro import SPEC
from compiled_plan.plans.execution.formats.base import ONE_FILE, FormatTable, Order, checked_inserts, register, shape
from compiled_plan.plans.execution.formats.lines import LineFormat
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_FILES = "org.compiledplan.kernel.formats.avro.AvroFiles"


class AvroFormat(LineFormat):
    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        return replace(spec, options={**spec.options, "schema": _schema(spec)})

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        fields = [s.StructField(f"c{index}", to_spark(field.type)) for index, field in enumerate(spec.row.fields)]
        rows = files.format(_FILES).schema(s.StructType(fields)).options(**_settings(spec)).load(path)
        return rows.select(*order.head(rows.sparkSession), *(F.col(field.name) for field in fields), *extra)

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        return checked_inserts([F.col(f"c{index}") for index in range(len(spec.row.fields))], "c0")

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        codec = SPEC.values(spec.options).text("codec")
        return rows.write.format(_FILES).options(**_settings(spec), codec=codec)

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        return bool(java_class(spark._jvm, _FILES).isEmpty(path, conf))


def _settings(spec: FormatTable) -> dict[str, str]:
    return {"table": f"table {spec.table}", "shape": shape(spec.row), "schema": _schema(spec)}


def _schema(spec: FormatTable) -> str:
    legacy = SPEC.values(spec.options).flag("timestamp_mapping.legacy")
    return json.dumps(avro_schema(spec.row.not_null(), legacy=legacy))


register(AvroFormat(SPEC))
