from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable, Order
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support.formats import writer

COLUMNS = t.row_of(
    ["k", "odd name, ü", "ts", "tz", "a"],
    [t.INT, t.STRING, t.TimestampType(), t.TimestampLtzType(), t.ArrayType(element=t.TimestampType())],
)


def test_round_trip(spark: SparkSession, tmp_path: Path) -> None:
    register(spark)
    parquet, spec = file_format("parquet"), FormatTable("c.d.t", COLUMNS, {})
    values = [
        "1",
        "'x'",
        "TIMESTAMP_NTZ'2024-01-02 03:04:05.123456'",
        "TIMESTAMP'2024-01-02 03:04:05Z'",
        "array(TIMESTAMP_NTZ'1969-12-31 23:59:59', null)",
    ]
    frame = spark.range(2, numPartitions=2).select(
        F.lit(0).cast("tinyint").alias("kind"), *(F.expr(sql).alias(f"c{i}") for i, sql in enumerate(values))
    )
    place = str(tmp_path / "out")
    writer(parquet, frame, spec).save(place)
    result: list[Any] = []
    rows = parquet.scan(spark.readStream, place, spec, [F.lit(7).alias("extra")], Order(0))
    query = rows.writeStream.foreachBatch(lambda batch, _: result.extend(batch.collect())).start()
    query.processAllAvailable()
    query.stop()
    assert len(result) == 2
    assert (result[0].kind, result[0].c0, result[0].c1, result[0].extra) == (0, 1, "x", 7)
    assert str(result[0].c2) == "2024-01-02 03:04:05.123456"
    assert result[0].c3.timestamp() == 1704164645
    assert [str(v) for v in result[0].c4] == ["1969-12-31 23:59:59", "None"]
    writer(parquet, frame.where("c0 > 1"), spec).save(f"{place}2")
    empty = list((tmp_path / "out2").glob("*.parquet"))
    assert empty
    assert all(parquet.is_empty(spark, str(file), file.stat().st_size) for file in empty)
    assert not parquet.is_empty(spark, str(next((tmp_path / "out").glob("*.parquet"))), 1)
