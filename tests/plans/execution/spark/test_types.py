"""Logical types as Spark types."""

from __future__ import annotations

import pytest
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.spark.types import ddl, schema_of, to_spark


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BOOLEAN", "boolean"),
        ("TINYINT NOT NULL", "tinyint"),
        ("SMALLINT", "smallint"),
        ("INT", "int"),
        ("BIGINT", "bigint"),
        ("FLOAT", "float"),
        ("DOUBLE", "double"),
        ("DECIMAL(12, 3)", "decimal(12,3)"),
        ("CHAR(3)", "string"),
        ("VARCHAR(2147483647)", "string"),
        ("BINARY(4)", "binary"),
        ("BYTES", "binary"),
        ("DATE", "date"),
        ("TIME(3)", "int"),
        ("TIMESTAMP(9)", "timestamp_ntz"),
        ("TIMESTAMP_LTZ(3)", "timestamp"),
        ("INTERVAL YEAR TO MONTH", "int"),
        ("INTERVAL DAY TO SECOND", "bigint"),
        ("ARRAY<ARRAY<INT>>", "array<array<int>>"),
        ("MAP<STRING, ROW<a INT>>", "map<string,struct<`a`:int>>"),
        ("MULTISET<STRING>", "map<string,int>"),
        ("ROW<`a b` INT, `c``d` STRING>", "struct<`a b`:int,`c``d`:string>"),
        ("STRUCTURED<'com.acme.User', name STRING>", "struct<`name`:string>"),
    ],
)
def test_ddl(text: str, expected: str) -> None:
    assert ddl(t.parse_type(text)) == expected


def test_everything_is_nullable() -> None:
    row = t.parse_type("ROW<a INT NOT NULL, b ARRAY<INT NOT NULL> NOT NULL>")
    assert isinstance(row, t.RowType)
    array = s.ArrayType(s.IntegerType(), True)
    assert schema_of(row) == s.StructType([s.StructField("a", s.IntegerType()), s.StructField("b", array)])


@pytest.mark.parametrize("text", ["RAW('a.B', 'x')", "TIMESTAMP(3) WITH TIME ZONE", "ARRAY<RAW('a.B', 'x')>"])
def test_refused(text: str) -> None:
    with pytest.raises(UnsupportedError, match="cannot be held in Spark"):
        to_spark(t.parse_type(text))
