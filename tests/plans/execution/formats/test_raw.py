"""`raw`: the values and bytes that Flink 2.3 read and wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support.compiled_expressions import compiled
from tests.support.formats import writer

FAILURE = (PySparkException, Py4JJavaError)


def spec_of(type_: str, options: dict[str, str]) -> FormatTable:
    return FormatTable("c.d.t", t.row_of(["v"], [t.parse_type(type_)]), options)


def read(spark: SparkSession, folder: Path, content: bytes, type_: str, **options: str) -> list[Any]:
    register(spark)
    (folder / "in").mkdir()
    (folder / "in" / "lines").write_bytes(content)
    frame = file_format("raw").scan(spark.read, str(folder / "in"), spec_of(type_, options), [])  # type: ignore[arg-type]
    rows = frame.collect()
    assert all(row.kind == 0 for row in rows)
    return [row.c0 for row in rows]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("content", "type_", "options", "expected"),
    [
        (b"one\r\ntwo\n\nthr\xc3\xa9e\nlast", "STRING", {}, ["one", "two", "", "thrée", "last"]),
        (b"caf\xe9\nx\n", "STRING", {"charset": "ISO-8859-1"}, ["café", "x"]),
        (b"\x00\x00\x00\x01\n\x01\x02\x03\x04\n", "INT", {}, [1, 16909060]),
        (b"\x00\x00\x00\x01\n", "INT", {"endianness": "little-endian"}, [16777216]),
        (b"?\xf8\0\0\0\0\0\0\n", "DOUBLE", {}, [1.5]),
        (b"\x01\n\x00\n", "BOOLEAN", {}, [True, False]),
        (b"\xff\n", "TINYINT", {}, [-1]),
        (b"\x01\x02\n", "BYTES", {}, [b"\x01\x02"]),
    ],
)
def test_read_and_written(
    spark: SparkSession, tmp_path: Path, content: bytes, type_: str, options: dict[str, str], expected: list[Any]
) -> None:
    assert read(spark, tmp_path, content, type_, **options) == expected
    # Data is written back unchanged, but for the line ends.
    spec = spec_of(type_, options)
    spec = FormatTable(spec.table, t.row_of(["v"], [spec.row.fields[0].type]), options)
    frame = file_format("raw").scan(spark.read, str(tmp_path / "in"), spec, [])  # type: ignore[arg-type]
    writer(file_format("raw"), frame.coalesce(1), spec).save(str(tmp_path / "out"))
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").glob("part-*"))
    assert written.rstrip(b"\n") == content.replace(b"\r\n", b"\n").rstrip(b"\n")


def test_sizes_and_nulls(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(FAILURE, match="1 bytes cannot be read as INT, which has 4"):
        read(spark, tmp_path, b"\x01\n", "INT")
    frame = spark.range(1).select(F.lit(0).cast("tinyint").alias("kind"), F.lit(None).cast("string").alias("c0"))
    with pytest.raises(FAILURE, match="null cannot be written"):
        writer(file_format("raw"), frame, spec_of("STRING", {})).save(str(tmp_path / "out"))


def test_functions_of_bytes_that_are_no_text(spark: SparkSession) -> None:
    register(spark)
    frame = spark.createDataFrame([(b"caf\xe9",)], "b BINARY").select(F.col("b").cast("string").alias("a"))
    texts = ["HEX(a)", "TO_BASE64(FROM_BASE64(TO_BASE64(a)))"]
    rexes, inputs = compiled(texts, [["a", "STRING"]], "UTC")
    context = ExpressionContext(time_zone="UTC", where="")
    columns = [to_column(rex, [F.col(name) for name in inputs], context) for rex in rexes]
    assert tuple(frame.select(*columns).collect()[0]) == ("636166EFBFBD", "Y2Fm6Q==")
