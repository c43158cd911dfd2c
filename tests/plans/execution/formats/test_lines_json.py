"""The values and texts that Flink 2.3 read and wrote."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND
from compiled_plan.plans.execution.spark.types import schema_of
from tests.support.formats import scanned, writer
from tests.support.tiers import but_wide

FAILURE = (PySparkException, Py4JJavaError)


def line_format(name: str) -> LineFormat:
    format_ = file_format(name)
    assert isinstance(format_, LineFormat)
    return format_


def row(*types: str) -> t.RowType:
    return t.row_of([f"col{index}" for index in range(len(types))], [t.parse_type(text) for text in types])


def decode(spark: SparkSession, name: str, lines: list[str], columns: t.RowType, **options: str) -> list[Row]:
    register(spark)
    spec = FormatTable("c.d.t", columns, {key.replace("__", "-").replace("_", "."): v for key, v in options.items()})
    return scanned(spark, line_format(name), spec, lines)


def encode(spark: SparkSession, name: str, frame: DataFrame, columns: t.RowType, tmp: Any, **options: str) -> list[str]:
    spec = FormatTable("c.d.t", columns, {key.replace("__", "-").replace("_", "."): v for key, v in options.items()})
    place = str(tmp / "written")
    writer(line_format(name), frame, spec).save(place)
    return [row.value for row in spark.read.text(place).collect()]


def one_value(spark: SparkSession, type_: str, *raw: str, **options: str) -> list[Any]:
    lines = [f'{{"col0": {text}}}' for text in raw]
    return [row.c0 for row in decode(spark, "json", lines, row(type_), **options)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("type_", "raw", "values"),
    [
        ("INT", ["1", "12.7", "1e2", '" 12 "', '"+5"', "null"], [1, 12, 100, 12, 5, None]),
        ("TINYINT", ["1", '"-128"'], [1, -128]),
        ("BIGINT", ["99999999999", '"7"'], [99999999999, 7]),
        ("DOUBLE", ["1", '"Infinity"', '"1f"', '" 12 "'], [1.0, float("inf"), 1.0, 12.0]),
        (
            "DECIMAL(5, 2)",
            ["1234.567", "999.995", "999.994", "1.005", '"10.00"', '"1e2"'],
            [None, None, Decimal("999.99"), Decimal("1.01"), Decimal("10.00"), Decimal("100.00")],
        ),
        ("BOOLEAN", ["true", '"TRUE"', '"abc"', "1"], [True, True, False, False]),
        ("STRING", ["1e2", "true", '"é"', '{"x":1}', "[1, 2]"], ["1e2", "true", "é", '{"x":1}', "[1,2]"]),
        ("BYTES", ['"AQL/"', '""'], [b"\x01\x02\xff", b""]),
        ("ARRAY<INT>", ['[1, "3", null]', "[]"], [[1, 3, None], []]),
        ("MAP<STRING, INT>", ['{"a": 1, "b": null}', "{}"], [{"a": 1, "b": None}, {}]),
        ("ROW<x INT, y STRING>", ['{"y": "q", "z": 1}'], [Row(x=None, y="q")]),
    ],
)
def test_values(spark: SparkSession, type_: str, raw: list[str], values: list[Any]) -> None:
    assert one_value(spark, type_, *raw) == values


def test_times(spark: SparkSession) -> None:
    raw = ['"2024-01-02 03:04:05"', '"2024-02-29 03:04:05.123456789"', '"1969-12-31 23:59:59.9"']
    assert [str(v) for v in one_value(spark, "TIMESTAMP(3)", *raw)] == [
        "2024-01-02 03:04:05",
        "2024-02-29 03:04:05.123456",
        "1969-12-31 23:59:59.900000",
    ]
    # A day that the month does not have, up to 31, is its last one.
    assert [str(v) for v in one_value(spark, "TIMESTAMP(3)", '"2023-02-30 00:00:00"')] == ["2023-02-28 00:00:00"]
    iso = one_value(spark, "TIMESTAMP(3)", '"2024-01-02T03:04"', timestamp__format_standard="ISO-8601")
    assert [str(v) for v in iso] == ["2024-01-02 03:04:00"]
    zoned = one_value(spark, "TIMESTAMP_LTZ(3)", '"2024-01-02 03:04:05.5Z"')
    assert [v.timestamp() for v in zoned] == [1704164645.5]
    assert one_value(spark, "TIME(3)", '"01:02:03.123456"') == [3723123]
    assert [str(v) for v in one_value(spark, "DATE", '"2024-01-02"')] == ["2024-01-02"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("type_", "raw"),
    but_wide(
        [
            ("INT", '"12.7"'),
            ("INT", "99999999999"),
            ("INT", '""'),
            ("TINYINT", "300"),
            ("DOUBLE", '"abc"'),
            ("DATE", '"2024-02-30"'),
            ("TIMESTAMP(3)", '"2024-01-02T03:04:05"'),
            ("TIMESTAMP(3)", '"2024-02-32 00:00:00"'),
            ("TIMESTAMP_LTZ(3)", '"2024-01-02 03:04:05"'),
            ("BYTES", '"!!"'),
            ("ARRAY<INT>", "5"),
            ("ROW<x INT>", "5"),
        ],
        lambda case: case[0] in ("INT", "TIMESTAMP_LTZ(3)", "ARRAY<INT>"),
    ),
)
def test_unfit_values_fail_or_are_null(spark: SparkSession, type_: str, raw: str) -> None:
    with pytest.raises(FAILURE, match=r"table c\.d\.t cannot be read: column col0: .* cannot be read as .*; try: "):
        one_value(spark, type_, raw)
    assert one_value(spark, type_, raw, ignore__parse__errors="true") == [None]


def test_lines(spark: SparkSession) -> None:
    columns = row("INT")
    lines = ['{"col0": 1} trailing', "", '[{"col0": 2}, {"col0": 3}]', "[]", '{"other": 1}\r', '{"col0": 4, "col0": 5}']
    parsed = decode(spark, "json", lines, columns)
    assert [r.c0 for r in parsed] == [1, 2, 3, None, 5]
    # The rows of one line are distinguished by the suffix of their path, in order.
    assert [None if r.path is None else bytes(r.path) for r in parsed][1:3] == [None, b"\x00\x00\x00\x01"]
    bad = ["{", "5", "null", "  ", "[1]", "{'col0': 1}"]
    assert decode(spark, "json", bad, columns, ignore__parse__errors="true") == []
    for line in bad:
        with pytest.raises(FAILURE, match=r"table c\.d\.t"):
            decode(spark, "json", [line], columns)


def test_missing_field(spark: SparkSession) -> None:
    with pytest.raises(FAILURE, match="could not find field with name 'col0'"):
        decode(spark, "json", ["{}"], row("INT"), fail__on__missing__field="true")


def test_written_as_flink_writes(spark: SparkSession, tmp_path: Any) -> None:
    register(spark)
    columns = row(
        "DECIMAL(10, 2)",
        "DECIMAL(38, 18)",
        "FLOAT",
        "DOUBLE",
        "STRING",
        "BYTES",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(3)",
        "TIMESTAMP_LTZ(3)",
        "MAP<STRING, DOUBLE>",
        "ROW<x INT, y STRING>",
    )
    values = [
        "10.00BD",
        "0.0000001BD",
        "3.4e38F",
        "12345678.9D",
        "'a\"b\\n,;ü'",
        "X'0102FF'",
        "DATE'2024-01-02'",
        "3723450",
        "TIMESTAMP_NTZ'2024-01-02 03:04:05.12'",
        "TIMESTAMP'1969-12-31 23:59:59.999Z'",
        "map('k', 1D, 'l', double('NaN'))",
        "named_struct('x', null, 'y', ' ')",
    ]
    schema = schema_of(columns)
    frame = spark.range(1).select(
        F.lit(INSERT).cast("tinyint").alias(KIND),
        *(
            F.expr(v).cast(f.dataType).alias(f"c{i}")
            for i, (v, f) in enumerate(zip(values, schema.fields, strict=True))
        ),
    )
    written = encode(spark, "json", frame, columns, tmp_path)
    assert written == [
        '{"col0":1E+1,"col1":1E-7,"col2":3.4E38,"col3":1.23456789E7,"col4":"a\\"b\\n,;ü","col5":"AQL/",'
        '"col6":"2024-01-02","col7":"01:02:03.45","col8":"2024-01-02 03:04:05.12",'
        '"col9":"1969-12-31 23:59:59.999Z","col10":{"k":1.0,"l":"NaN"},"col11":{"x":null,"y":" "}}'
    ]
    options = {"encode_decimal__as__plain__number": "true", "timestamp__format_standard": "ISO-8601"}
    again = json.loads(encode(spark, "json", frame, columns, tmp_path / "again", **options)[0])
    assert (again["col8"], again["col9"]) == ("2024-01-02T03:04:05.12", "1969-12-31T23:59:59.999Z")
    read = decode(spark, "json", written, columns)[0]
    assert (read.c0, read.c1, read.c7) == (10, Decimal("1E-7"), 3723450)
    assert read.c9.timestamp() == pytest.approx(-0.001)


def test_null_keys_and_null_fields(spark: SparkSession, tmp_path: Any) -> None:
    columns = row("MAP<STRING, INT>", "INT")
    frame = spark.range(1).select(
        F.lit(INSERT).cast("tinyint").alias(KIND),
        F.expr("map_from_arrays(array('a', 'x'), array(1, 2))").alias("c0"),
        F.lit(None).cast("int").alias("c1"),
    )
    assert encode(spark, "json", frame, columns, tmp_path, encode_ignore__null__fields="true") == [
        '{"col0":{"a":1,"x":2}}'
    ]
