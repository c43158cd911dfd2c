"""`canal-json` and `maxwell-json`: the changes that Flink 2.3 read and wrote."""

from __future__ import annotations

import json
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support.formats import writer

FAILURE = (PySparkException, Py4JJavaError)
COLUMNS = t.row_of(["id", "name", "weight"], [t.BIGINT, t.STRING, t.DecimalType(precision=10, scale=2)])


def changes(spark: SparkSession, name: str, *lines: str, metadata: tuple[str, ...] = (), **options: str) -> list[Any]:
    register(spark)
    format_options = {key.replace("_include", ".include").replace("_", "-"): value for key, value in options.items()}
    spec = FormatTable("c.d.t", COLUMNS, format_options, metadata)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "events.json").write_text("\n".join(lines))
        frame = file_format(name).scan(spark.read, folder, spec, [])  # type: ignore[arg-type]
        return frame.collect()


def rows(received: list[Any]) -> list[tuple[Any, ...]]:
    return [(row.kind, row.c0, row.c1, row.c2) for row in received]


def canal(type_: str, data: Any, old: Any = None, **more: Any) -> str:
    return json.dumps({"data": data, "old": old, "type": type_, "database": "inv", "table": "products", **more})


def test_canal(spark: SparkSession) -> None:
    received = changes(
        spark,
        "canal-json",
        canal("INSERT", [{"id": "1", "name": "a", "weight": "8.1"}, {"id": "2", "name": None, "weight": "0.8"}]),
        canal(
            "UPDATE",
            [{"id": "1", "name": "b", "weight": None}, {"id": "2", "name": "c", "weight": "0.9"}],
            [{"name": "a", "weight": "8.1"}, {"name": None}],
        ),
        "",
        canal("CREATE", None, isDdl=True),
        canal("DELETE", [{"id": "1", "name": "b"}]),
    )
    weights = [Decimal(text) for text in ("8.10", "0.80", "0.90")]
    assert rows(received) == [
        (0, 1, "a", weights[0]),
        (0, 2, None, weights[1]),
        (1, 1, "a", weights[0]),
        (2, 1, "b", None),
        # Fields in `old` with null were null; fields missing in it did not change.
        (1, 2, None, weights[2]),
        (2, 2, "c", weights[2]),
        (3, 1, "b", None),
    ]
    suffixes = [bytes(row.path or b"") for row in received[2:6]]
    assert suffixes == sorted(suffixes)
    assert len(set(suffixes)) == 4


def test_maxwell(spark: SparkSession) -> None:
    received = changes(
        spark,
        "maxwell-json",
        '{"database":"d","type":"insert","ts":1,"data":{"id":1,"name":"a","weight":3.14}}',
        '{"database":"d","type":"update","ts":2,"data":{"id":1,"name":"b","weight":5.1},"old":{"weight":3.14}}',
        '{"database":"d","type":"delete","ts":3,"data":{"id":1,"name":"b","weight":5.1}}',
    )
    assert rows(received) == [
        (0, 1, "a", Decimal("3.14")),
        (1, 1, "b", Decimal("3.14")),
        (2, 1, "b", Decimal("5.10")),
        (3, 1, "b", Decimal("5.10")),
    ]


def test_included(spark: SparkSession) -> None:
    lines = (
        canal("INSERT", [{"id": 1}]),
        # Another table has other columns.
        canal("INSERT", [{"id": "no number"}], table="products2"),
        canal("INSERT", [{"id": 3}], database="inventory"),
    )
    received = changes(spark, "canal-json", *lines, database_include="inv.*", table_include="products")
    assert [row.c0 for row in received] == [1, 3]
    with pytest.raises(FAILURE, match="without the field"):
        changes(spark, "canal-json", '{"type":"INSERT","data":[{"id":1}]}', table_include="b")
    with pytest.raises(UnsupportedError, match="not a regular expression"):
        changes(spark, "canal-json", table_include="(")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "line", "text"),
    [
        ("canal-json", canal("TRUNCATE", [{"id": 1}]), "unknown \"type\" value 'TRUNCATE' .* Canal"),
        ("canal-json", canal("UPDATE", [{"id": 1}]), "\"old\" field .* 'UPDATE' has no row"),
        ("canal-json", canal("INSERT", None), "\"data\" field .* 'INSERT' has no row"),
        ("canal-json", canal("INSERT", {"id": 1}), '"data" field .* is an array'),
        ("canal-json", '{"data":[{"id":1}]}', "unknown \"type\" value ''"),
        ("canal-json", "[]", "an event of Canal is a JSON object"),
        ("canal-json", "{", "not JSON"),
        ("maxwell-json", '{"type":"bootstrap-insert","data":{"id":1}}', "unknown .* insert, update and delete"),
        ("maxwell-json", '{"type":"update","data":{"id":1}}', '"old" field'),
        ("maxwell-json", '{"type":"insert","data":null}', '"data" field'),
    ],
)
def test_faults(spark: SparkSession, name: str, line: str, text: str) -> None:
    with pytest.raises(FAILURE, match=text):
        changes(spark, name, line)
    assert changes(spark, name, line, ignore_parse_errors="true") == []


def test_fields_that_cannot_be_read(spark: SparkSession) -> None:
    line = canal("INSERT", [{"id": "x", "name": "a"}, {"id": 2}])
    with pytest.raises(FAILURE, match="column id: 'x' cannot be read as BIGINT"):
        changes(spark, "canal-json", line)
    received = changes(
        spark,
        "canal-json",
        line,
        # The first of two updates has all it needs, the second lacks the row before it.
        canal("UPDATE", [{"id": 3, "name": "z"}, {"id": 4}], [{"name": "y"}]),
        ignore_parse_errors="true",
    )
    assert rows(received) == [
        (0, None, "a", None),
        (0, 2, None, None),
        (1, 3, "y", None),
        (2, 3, "z", None),
    ]


def test_metadata(spark: SparkSession) -> None:
    keys = ("database", "table", "sql-type", "pk-names", "ingestion-timestamp", "event-timestamp")
    more = {"sqlType": {"id": 4}, "pkNames": ["id"], "ts": 1500, "es": 250}
    received = changes(spark, "canal-json", canal("INSERT", [{"id": 1}], **more), canal("INSERT", [{}]), metadata=keys)
    assert (received[0].x0, received[0].x1, received[0].x2, received[0].x3) == ("inv", "products", {"id": 4}, ["id"])
    assert (received[0].x4.timestamp(), received[0].x5.timestamp()) == (1.5, 0.25)
    assert (received[1].x2, received[1].x3, received[1].x4, received[1].x5) == (None, None, None, None)
    # Maxwell's times are seconds.
    line = '{"type":"insert","ts":7,"data":{"id":1},"primary_key_columns":["id"]}'
    row = changes(spark, "maxwell-json", line, metadata=("ingestion-timestamp", "primary-key-columns", "table"))[0]
    assert (row.x0.timestamp(), row.x1, row.x2) == (7.0, ["id"], None)


@pytest.mark.parametrize(
    ("name", "options", "lines"),
    [
        (
            "canal-json",
            {},
            [
                '{"data":[{"id":0,"name":null,"weight":8.1}],"type":"INSERT"}',
                '{"data":[{"id":1,"name":null,"weight":8.1}],"type":"DELETE"}',
                '{"data":[{"id":2,"name":null,"weight":8.1}],"type":"INSERT"}',
                '{"data":[{"id":3,"name":null,"weight":8.1}],"type":"DELETE"}',
            ],
        ),
        (
            "maxwell-json",
            {"encode.ignore-null-fields": "true", "encode.decimal-as-plain-number": "true"},
            [
                '{"data":{"id":0,"weight":8.10},"type":"insert"}',
                '{"data":{"id":1,"weight":8.10},"type":"delete"}',
                '{"data":{"id":2,"weight":8.10},"type":"insert"}',
                '{"data":{"id":3,"weight":8.10},"type":"delete"}',
            ],
        ),
    ],
)
def test_written_as_flink_writes(
    spark: SparkSession, tmp_path: Path, name: str, options: dict[str, str], lines: list[str]
) -> None:
    frame = spark.range(4, numPartitions=1).select(
        F.col("id").cast("tinyint").alias("kind"),
        F.col("id").alias("c0"),
        F.lit(None).cast("string").alias("c1"),
        F.lit("8.1").cast("decimal(10, 2)").alias("c2"),
    )
    writer(file_format(name), frame, FormatTable("c.d.t", COLUMNS, options)).save(str(tmp_path / "out"))
    assert [row.value for row in spark.read.text(str(tmp_path / "out")).collect()] == lines
