"""`avro`: files are checked with Avro's own library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.avro_schemas import avro_schema
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable, Order
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support.formats import writer

FAILURE = (PySparkException, Py4JJavaError)
MILLIS = t.TimestampType(precision=3)
COLUMNS = t.row_of(
    ["id", "ts", "d", "a", "m", "r", "day", "clock", "b", "s"],
    [
        t.BIGINT.not_null(),
        MILLIS,
        t.DecimalType(precision=10, scale=2),
        t.ArrayType(element=MILLIS),
        t.MapType(key=t.STRING, value=t.INT),
        t.row_of(["x", "y"], [t.TinyIntType(), t.STRING]),
        t.DATE,
        t.TimeType(precision=3),
        t.VarBinaryType(length=5),
        t.STRING,
    ],
)
VALUES = (
    "id",
    "TIMESTAMP_NTZ'2024-07-02 03:04:05.123'",
    "CAST(-1.5 AS DECIMAL(10, 2))",
    "array(TIMESTAMP_NTZ'1969-12-31 23:59:59.999', null)",
    "map('k', 1, 'l', null)",
    "if(id = 0, null, named_struct('x', -1Y, 'y', 'z'))",
    "DATE'2024-01-02'",
    "1234",
    "X'0102'",
    "if(id = 0, null, 'ü')",
)


def test_schema_as_flink_derives_it() -> None:
    assert avro_schema(COLUMNS.not_null(), legacy=True) == {
        "type": "record",
        "name": "record",
        "namespace": "org.apache.flink.avro.generated",
        "fields": [
            {"name": "id", "type": "long"},
            nullable("ts", {"type": "long", "logicalType": "timestamp-millis"}),
            nullable("d", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
            nullable("a", {"type": "array", "items": ["null", {"type": "long", "logicalType": "timestamp-millis"}]}),
            nullable("m", {"type": "map", "values": ["null", "int"]}),
            nullable(
                "r",
                {
                    "type": "record",
                    "name": "record_r",
                    "namespace": "org.apache.flink.avro.generated",
                    "fields": [nullable("x", "int"), nullable("y", "string")],
                },
            ),
            nullable("day", {"type": "int", "logicalType": "date"}),
            nullable("clock", {"type": "int", "logicalType": "time-millis"}),
            nullable("b", "bytes"),
            nullable("s", "string"),
        ],
    }
    zoned = t.row_of(["a", "b"], [t.TimestampType(precision=6), t.TimestampLtzType(precision=3)])
    assert [field["type"][1]["logicalType"] for field in avro_schema(zoned.not_null(), legacy=False)["fields"]] == [
        "local-timestamp-micros",
        "timestamp-millis",
    ]


def nullable(name: str, type_: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", type_], "default": None}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("codec", ["snappy", "null", "zstandard"])
def test_there_and_back(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    register(spark)
    avro, spec = file_format("avro"), FormatTable("c.d.t", COLUMNS, {"codec": codec})
    frame = spark.range(0, 2, 1, numPartitions=1).select(
        F.lit(0).cast("tinyint").alias("kind"), *(F.expr(sql).alias(f"c{i}") for i, sql in enumerate(VALUES))
    )
    place = str(tmp_path / "out")
    writer(avro, frame, spec).save(place)
    result: list[Any] = []
    rows = avro.scan(spark.readStream, place, spec, [F.lit(7).alias("extra")], Order(0))
    query = rows.writeStream.foreachBatch(lambda batch, _: result.extend(batch.collect())).start()
    query.processAllAvailable()
    query.stop()
    assert [(row.kind, row.c0, row.extra) for row in result] == [(0, 0, 7), (0, 1, 7)]
    first, second = result
    assert (str(first.c1), str(first.c2)) == ("2024-07-02 03:04:05.123000", "-1.50")
    assert [str(value) for value in first.c3] == ["1969-12-31 23:59:59.999000", "None"]
    assert first.c4 == {"k": 1, "l": None}
    assert (first.c5, first.c9, second.c5, second.c9) == (None, None, (-1, "z"), "ü")
    assert (str(first.c6), first.c7, bytes(first.c8)) == ("2024-01-02", 1234, b"\x01\x02")
    # Only some columns, in another order.
    assert rows.select("c9", "c0").columns == ["c9", "c0"]
    some = avro.scan(spark.read, place, spec, [], Order(0)).select("c9", "c0").collect()  # type: ignore[arg-type]
    assert [tuple(row) for row in some] == [(None, 0), ("ü", 1)]
    file = next((tmp_path / "out").glob("*.avro"))
    assert not avro.is_empty(spark, str(file), 1)
    writer(avro, frame.where("c0 > 5"), spec).save(f"{place}2")
    empty = list((tmp_path / "out2").glob("*.avro"))
    assert empty
    assert all(avro.is_empty(spark, str(file), 1) for file in empty)


def write_foreign(spark: SparkSession, file: Path, schema: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """A foreign file, written by Avro's library from JSON."""
    jvm: Any = spark._jvm
    parsed = jvm.org.apache.avro.Schema.Parser().parse(json.dumps(schema))
    decoders = jvm.org.apache.avro.io.DecoderFactory.get()
    writer = jvm.org.apache.avro.file.DataFileWriter(jvm.org.apache.avro.generic.GenericDatumWriter(parsed))
    writer.create(parsed, jvm.java.io.File(str(file)))
    for record in records:
        decoder = decoders.jsonDecoder(parsed, json.dumps(record))
        writer.append(jvm.org.apache.avro.generic.GenericDatumReader(parsed).read(None, decoder))
    writer.close()


def test_files_of_others(spark: SparkSession, tmp_path: Path) -> None:
    register(spark)
    enum = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
    schema = {
        "type": "record",
        "name": "other",
        "fields": [
            {"name": "unused", "type": "string"},
            {"name": "n", "type": "int"},
            {"name": "e", "type": enum},
            {"name": "u", "type": ["string", "null"]},
            {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        ],
    }
    (tmp_path / "in").mkdir()
    write_foreign(
        spark, tmp_path / "in" / "x.avro", schema, [{"unused": "", "n": 5, "e": "B", "u": {"string": "t"}, "ts": 1500}]
    )
    row = t.row_of(["ts", "e", "n", "u", "absent"], [MILLIS, t.STRING, t.BIGINT, t.STRING, t.INT])
    avro = file_format("avro")
    spec = FormatTable("c.d.t", row, {})
    read_row = avro.scan(spark.read, str(tmp_path / "in"), spec, [], Order(0)).collect()[0]  # type: ignore[arg-type]
    assert (str(read_row.c0), read_row.c1, read_row.c2, read_row.c3, read_row.c4) == (
        "1970-01-01 00:00:00.001500",
        "B",
        5,
        "t",
        None,
    )
    for columns, text in (
        (t.row_of(["e"], [t.INT]), "column e: Avro's enum cannot be read as INT"),
        (t.row_of(["absent"], [t.INT.not_null()]), "no column absent, which is NOT NULL"),
    ):
        with pytest.raises(FAILURE, match=text):
            avro.scan(spark.read, str(tmp_path / "in"), FormatTable("c.d.t", columns, {}), [], Order(0)).collect()  # type: ignore[arg-type]
