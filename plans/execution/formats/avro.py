"""The format `avro`: Avro's container files, read and written by the kernel.

Source: Flink's page "Avro". The schema of the files follows from the table's columns. A file that something else wrote
is read by its own schema: columns are found by name, and its units of time are heeded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.formats.avro import SPEC
from compiled_plan.plans.execution.connectors.base import INSERT, KIND
from compiled_plan.plans.execution.formats.base import SUFFIX, FormatTable, register, shape
from compiled_plan.plans.execution.java import java_class
from compiled_plan.plans.execution.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_FILES = "org.compiledplan.kernel.formats.AvroFiles"
_RECORD = "org.apache.flink.avro.generated.record"


class AvroFormat:
    """`avro`: inserts only."""

    spec = SPEC

    def scan(self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        fields = [s.StructField(f"c{index}", to_spark(field.type)) for index, field in enumerate(spec.row.fields)]
        rows = files.format(_FILES).schema(s.StructType(fields)).options(**_settings(spec)).load(path)
        return rows.select(
            F.lit(INSERT).cast("tinyint").alias(KIND),
            F.lit(None).cast("binary").alias(SUFFIX),
            *(F.col(field.name) for field in fields),
            *extra,
        )

    def writer(self, frame: DataFrame, spec: FormatTable, extra: Sequence[Column]) -> DataFrameWriter:
        """Files of rows; see `Format.writer`."""
        columns = [F.col(f"c{index}") for index in range(len(spec.row.fields))]
        # The kind takes part in one column, or its check would be optimised away.
        columns[0] = F.when(F.col(KIND) == INSERT, columns[0]).alias("c0")
        codec = SPEC.values(spec.options).text("codec")
        return frame.select(*columns, *extra).write.format(_FILES).options(**_settings(spec), codec=codec)

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file without a row; see `Format.is_empty`."""
        jvm: Any = spark._jvm
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        return bool(java_class(jvm, "org.compiledplan.kernel.formats.AvroFiles").isEmpty(path, conf))


def _settings(spec: FormatTable) -> dict[str, str]:
    legacy = SPEC.values(spec.options).flag("timestamp_mapping.legacy")
    return {
        "table": f"table {spec.table}",
        "shape": shape(spec.row),
        "schema": json.dumps(avro_schema(spec.row.not_null(), legacy=legacy)),
    }


def avro_schema(type_: t.LogicalType, *, legacy: bool, name: str = _RECORD) -> Any:
    """The Avro schema of a type, as JSON's values.

    Args:
        type_: a type that `plans.connectors.columns` lets through.
        legacy: TIMESTAMP is Avro's timestamp, which is a moment; else it is a local timestamp, and TIMESTAMP_LTZ a
            timestamp.
        name: the name of a record.
    """
    found = _present(type_, legacy, name)
    return ["null", found] if type_.nullable and found != "null" else found


_SIMPLE: Mapping[type[t.LogicalType], str] = {
    t.NullType: "null",
    t.BooleanType: "boolean",
    t.IntegerType: "int",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.CharacterType: "string",
    t.BytesType: "bytes",
}


def _present(type_: t.LogicalType, legacy: bool, name: str) -> Any:
    match type_:
        case t.BigIntType():
            return "long"
        case t.DateType():
            return {"type": "int", "logicalType": "date"}
        case t.TimeType():
            return {"type": "int", "logicalType": "time-millis"}
        case t.TimestampType():
            return {"type": "long", "logicalType": ("" if legacy else "local-") + _timestamp(type_.precision)}
        case t.TimestampLtzType():
            return {"type": "long", "logicalType": _timestamp(type_.precision)}
        case t.DecimalType():
            return {"type": "bytes", "logicalType": "decimal", "precision": type_.precision, "scale": type_.scale}
        case t.ArrayType():
            return {"type": "array", "items": avro_schema(type_.element, legacy=legacy, name=name)}
        case t.MapType():
            return {"type": "map", "values": avro_schema(type_.value, legacy=legacy, name=name)}
        case t.MultisetType():
            return {"type": "map", "values": avro_schema(t.INT, legacy=legacy, name=name)}
        case t.FieldsType():
            return _record(type_, legacy, name)
    return next(avro for kind, avro in _SIMPLE.items() if isinstance(type_, kind))


def _timestamp(precision: int) -> str:
    if precision <= 3:
        return "timestamp-millis"
    return "timestamp-micros" if precision <= 6 else "timestamp-nanos"


def _record(type_: t.FieldsType, legacy: bool, name: str) -> dict[str, Any]:
    fields = []
    for field in type_.fields:
        entry = {
            "name": field.name,
            "type": avro_schema(field.type, legacy=legacy, name=f"{name}_{field.name}"),
        }
        fields.append(entry | {"default": None} if field.type.nullable else entry)
    namespace, _, simple = name.rpartition(".")
    return {"type": "record", "name": simple, "namespace": namespace, "fields": fields}


register(AvroFormat())
