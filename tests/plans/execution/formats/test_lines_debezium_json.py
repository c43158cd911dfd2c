"""The changes that Flink 2.3 read and wrote."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from tests.support.formats import scanned, writer

FAILURE = (PySparkException, Py4JJavaError)
COLUMNS = t.row_of(["k", "v"], [t.INT, t.STRING])


def changes(spark: SparkSession, *lines: str, metadata: tuple[str, ...] = (), **options: str) -> list[Any]:
    register(spark)
    spec = FormatTable("c.d.t", COLUMNS, {key.replace("_", "-"): v for key, v in options.items()}, metadata)
    format_ = file_format("debezium-json")
    assert isinstance(format_, LineFormat)
    return scanned(spark, format_, spec, lines)


def test_changes(spark: SparkSession) -> None:
    received = changes(
        spark,
        '{"before":null,"after":{"k":1,"v":"a"},"op":"c"}',
        '{"after":{"k":2},"op":"r"}',
        '{"before":{"k":1,"v":"a"},"after":{"k":1,"v":"b"},"op":"u","ts_ms":1}',
        "",
        '{"before":{"k":1,"v":"b"},"after":null,"op":"d"}',
    )
    assert [(r.kind, r.c0, r.c1) for r in received] == [
        (0, 1, "a"),
        (0, 2, None),
        (1, 1, "a"),
        (2, 1, "b"),
        (3, 1, "b"),
    ]
    # The row before an update sorts before the row after it.
    assert bytes(received[2].path) < bytes(received[3].path)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"after":{"k":1},"op":"u"}', r'"before" field .* op \'u\' is null.*REPLICA IDENTITY'),
        ('{"op":"d"}', r'"before" field .* op \'d\' is null'),
        ('{"op":"c"}', r'"after" field .* op \'c\' is null'),
        ('{"after":{"k":1},"op":"x"}', "unknown \"op\" value 'x'"),
        ('{"after":{"k":"z"},"op":"c"}', "column k: 'z' cannot be read as INT"),
        ("null", "JSON object"),
        ("{", "not JSON"),
    ],
)
def test_faults(spark: SparkSession, line: str, text: str) -> None:
    with pytest.raises(FAILURE, match=text):
        changes(spark, line)
    left = changes(spark, line, ignore_parse_errors="true")
    # An unreadable field becomes null; any other fault drops the event.
    assert [(r.kind, r.c0) for r in left] == ([(0, None)] if '"z"' in line else [])


def test_envelope_and_metadata(spark: SparkSession) -> None:
    keys = ("source.table", "ingestion-timestamp", "source.properties", "schema")
    received = changes(
        spark,
        '{"schema":{"q":1},"payload":{"after":{"k":1},"op":"c","ts_ms":5,"source":{"table":"tt","n":null,"l":[1]}}}',
        '{"payload":{"after":{"k":2},"op":"c"}}',
        metadata=keys,
        schema_include="true",
    )
    assert [(r.c0, r.x0) for r in received] == [(1, "tt"), (2, None)]
    assert received[0].x1.timestamp() == 0.005
    assert received[0].x2["table"] == "tt"
    assert received[0].x3 == '{"q":1}'


def test_written_as_flink_writes(spark: SparkSession, tmp_path: Any) -> None:
    frame = spark.range(4, numPartitions=1).select(
        F.col("id").cast("tinyint").alias("kind"),
        F.col("id").cast("int").alias("c0"),
        F.lit(None).cast("string").alias("c1"),
    )
    writer(file_format("debezium-json"), frame, FormatTable("c.d.t", COLUMNS, {})).save(str(tmp_path / "out"))
    assert [r.value for r in spark.read.text(str(tmp_path / "out")).collect()] == [
        '{"before":null,"after":{"k":0,"v":null},"op":"c"}',
        '{"before":{"k":1,"v":null},"after":null,"op":"d"}',
        '{"before":null,"after":{"k":2,"v":null},"op":"c"}',
        '{"before":{"k":3,"v":null},"after":null,"op":"d"}',
    ]
