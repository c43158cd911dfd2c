"""`orc`, written and read through Spark; timestamps are checked with ORC's own library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from py4j.java_gateway import get_field
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable, Order
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support.formats import writer

TIME = t.TimestampType(precision=6)
COLUMNS = t.row_of(
    ["ts", "odd name, ü", "tz", "a", "m", "r", "d"],
    [
        TIME,
        t.STRING,
        t.TimestampLtzType(),
        t.ArrayType(element=TIME),
        t.MapType(key=t.STRING, value=TIME),
        t.row_of(["x", "y"], [t.TinyIntType(), TIME]),
        t.DecimalType(precision=10, scale=2),
    ],
)
VALUES = (
    "TIMESTAMP_NTZ'2024-07-02 03:04:05.123456'",
    "'x'",
    "TIMESTAMP'2024-01-02 03:04:05Z'",
    "array(TIMESTAMP_NTZ'1969-12-31 23:59:59', null)",
    "map('k', TIMESTAMP_NTZ'2024-01-01 00:00:00')",
    "if(id = 0, null, named_struct('x', 1Y, 'y', TIMESTAMP_NTZ'2024-01-01 00:00:00'))",
    "CAST(1.5 AS DECIMAL(10, 2))",
)


@contextmanager
def clock(spark: SparkSession, zone: str) -> Iterator[None]:
    zones: Any = spark._jvm.java.util.TimeZone  # type: ignore[union-attr]
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        yield
    finally:
        zones.setDefault(before)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_round_trip(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    register(spark)
    orc, spec = file_format("orc"), FormatTable("c.d.t", COLUMNS, {"stripe.size": "1000000"})
    frame = spark.range(2, numPartitions=1).select(
        F.lit(0).cast("tinyint").alias("kind"), *(F.expr(sql).alias(f"c{i}") for i, sql in enumerate(VALUES))
    )
    with clock(spark, zone):
        writer(orc, frame, spec).save(str(tmp_path / "out"))
        rows = orc.scan(spark.read, str(tmp_path / "out"), spec, [F.lit(7).alias("extra")], Order(0)).collect()  # type: ignore[arg-type]
        file = next((tmp_path / "out").glob("*.orc"))
        assert first_clock(spark, file) == "2024-07-02 03:04:05.123456"
    assert len(rows) == 2
    assert (rows[0].kind, rows[0].c1, rows[0].extra, str(rows[0].c6)) == (0, "x", 7, "1.50")
    assert str(rows[0].c0) == "2024-07-02 03:04:05.123456"
    assert rows[0].c2.timestamp() == 1704164645
    assert [str(value) for value in rows[0].c3] == ["1969-12-31 23:59:59", "None"]
    assert str(rows[0].c4["k"]) == "2024-01-01 00:00:00"
    assert rows[0].c5 is None
    assert (rows[1].c5.x, str(rows[1].c5.y)) == (1, "2024-01-01 00:00:00")
    assert not orc.is_empty(spark, str(file), 1)


def first_clock(spark: SparkSession, file: Path) -> str:
    """First column of the first row, read by ORC's library; also checks the compression."""
    jvm: Any = spark._jvm
    library = jvm.org.apache.orc.OrcFile
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    reader = library.createReader(jvm.org.apache.hadoop.fs.Path(str(file)), library.readerOptions(conf))
    assert reader.getCompressionKind().toString() == "ZLIB"
    batch = reader.getSchema().createRowBatch()
    rows = reader.rows()
    rows.nextBatch(batch)
    return str(get_field(batch, "cols")[0].asScratchTimestamp(0).toString())


def test_empty_files(spark: SparkSession, tmp_path: Path) -> None:
    orc, spec = file_format("orc"), FormatTable("c.d.t", t.row_of(["a"], [t.INT]), {"compress": "SNAPPY"})
    frame = spark.range(1).select(F.lit(0).cast("tinyint").alias("kind"), F.lit(1).alias("c0")).where("c0 > 1")
    writer(orc, frame, spec).save(str(tmp_path / "out"))
    files = list((tmp_path / "out").glob("*.orc"))
    assert files
    assert all(orc.is_empty(spark, str(file), file.stat().st_size) for file in files)
