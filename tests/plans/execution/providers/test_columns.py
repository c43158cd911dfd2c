"""The columns of a table against those of its data source."""

from __future__ import annotations

import pytest
from pyspark.sql import types as s

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.providers.columns import check_columns

INT, TEXT, BYTES = s.IntegerType(), s.StringType(), s.BinaryType()


def struct(**fields: s.DataType) -> s.StructType:
    return s.StructType([s.StructField(name, type_) for name, type_ in fields.items()])


def check(declared: str, columns: s.StructType) -> None:
    row = t.parse_type(f"ROW<{declared}>")
    assert isinstance(row, t.RowType)
    check_columns(TableSpec("c.d.t", row, {}), columns, "provider 'p'")


@pytest.mark.parametrize(
    ("declared", "columns"),
    [
        ("a INT NOT NULL", struct(a=INT, b=TEXT)),
        ("a VARCHAR(3), b CHAR(2)", struct(b=TEXT, a=s.VarcharType(3))),
        ("a TIMESTAMP(3), b TIMESTAMP_LTZ(6)", struct(a=s.TimestampNTZType(), b=s.TimestampType())),
        ("a DECIMAL(10, 2)", struct(a=s.DecimalType(10, 2))),
        (
            "a ARRAY<ROW<x INT, y MAP<STRING, BYTES>> NOT NULL>",
            struct(a=s.ArrayType(struct(x=INT, y=s.MapType(TEXT, BYTES, valueContainsNull=False)))),
        ),
    ],
)
def test_matching_columns(declared: str, columns: s.StructType) -> None:
    check(declared, columns)


@pytest.mark.parametrize(
    ("declared", "columns", "message"),
    [
        ("a INT", struct(b=INT), "provider 'p' has no column 'a'"),
        ("a INT", struct(A=INT), "provider 'p' has no column 'a'"),
        ("a INT", struct(a=s.LongType()), "column 'a' is INT, and provider 'p' has it as BIGINT"),
        (
            "a TIMESTAMP(3)",
            struct(a=s.TimestampType()),
            "is TIMESTAMP(3), and provider 'p' has it as TIMESTAMP(6) WITH LOCAL TIME ZONE",
        ),
        (
            "a DECIMAL(10, 2)",
            struct(a=s.DecimalType(10, 3)),
            "DECIMAL(10, 2), and provider 'p' has it as DECIMAL(10, 3)",
        ),
        ("a ROW<x INT, y INT>", struct(a=struct(y=INT, x=INT)), "and provider 'p' has it as ROW<`y` INT"),
        ("a ARRAY<INT>", struct(a=s.ArrayType(TEXT)), "has it as ARRAY<VARCHAR(2147483647)>"),
        ("a STRING", struct(a=s.VariantType()), "has it as Spark's variant"),
    ],
)
def test_mismatched_columns(declared: str, columns: s.StructType, message: str) -> None:
    with pytest.raises(DataError) as caught:
        check(declared, columns)
    assert message in caught.value.message
    assert caught.value.where == "table c.d.t" and caught.value.remedy
