from __future__ import annotations

import pytest

from compiled_plan.planner.functions.casts import (
    cast,
    common_type,
    implicit_cast,
    least_restrictive,
    supports_implicit_cast,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, InputRef, type_of
from compiled_plan.plans.types import TimeKind, TimestampType, parse_type

TYPES = [
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "CHAR(5)", "VARCHAR(10)",
    "BINARY(4)", "VARBINARY(10)", "DATE", "TIME(0)", "TIMESTAMP(3)", "TIMESTAMP_LTZ(3)",
]  # fmt: skip
# one row per source type, one mark per sink type, as Flink 2.3 answers
IMPLICIT = """
Y...............
.YYYYYYY........
..YYYYYY........
...YYYYY........
....YYYY........
.....YYY........
......YY........
.....YYY........
........YY......
.........Y......
..........YY....
...........Y....
............Y...
.............Y..
............YYYY
..............YY
""".split()


@pytest.mark.parametrize(("source", "row"), list(zip(TYPES, IMPLICIT, strict=True)))
def test_implicit_casts_into_a_sink(source: str, row: str) -> None:
    actual = "".join("Y" if supports_implicit_cast(parse_type(source), parse_type(t)) else "." for t in TYPES)
    assert actual == row


@pytest.mark.parametrize(
    ("one", "two", "wanted"),
    [
        ("INT", "BIGINT", "BIGINT"),
        ("INT", "DECIMAL(10, 2)", "DECIMAL(12, 2)"),
        ("BIGINT", "DECIMAL(10, 2)", "DECIMAL(21, 2)"),
        ("FLOAT", "DOUBLE", "FLOAT"),
        ("FLOAT", "DECIMAL(10, 2)", "DOUBLE"),
        ("CHAR(1)", "CHAR(3)", "VARCHAR(3)"),
        ("CHAR(3)", "CHAR(3)", "CHAR(3)"),
        ("VARCHAR(10)", "CHAR(5)", "VARCHAR(10)"),
        ("INT NOT NULL", "INT", "INT"),
        ("INT NOT NULL", "NULL", "INT"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(6)"),
        ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", "TIMESTAMP(3)"),
        ("TIMESTAMP(6)", "TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(6)"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP(0)", "TIMESTAMP(3)"),
        ("ARRAY<INT>", "ARRAY<BIGINT NOT NULL>", "ARRAY<BIGINT>"),
        ("ROW<a INT, b STRING>", "ROW<x BIGINT, y CHAR(3)>", "ROW<a BIGINT, b STRING>"),
    ],
)
def test_common_types(one: str, two: str, wanted: str) -> None:
    assert least_restrictive([parse_type(one), parse_type(two)]) == parse_type(wanted)


@pytest.mark.parametrize(("one", "two"), [("INT", "STRING"), ("DATE", "TIMESTAMP(3)"), ("BOOLEAN", "INT")])
def test_no_common_type(one: str, two: str) -> None:
    assert least_restrictive([parse_type(one), parse_type(two)]) is None


def test_functions_of_flink_prefer_the_zoned_timestamp() -> None:
    types = [parse_type("TIMESTAMP(3)"), parse_type("TIMESTAMP_LTZ(6)")]
    assert common_type(types) == parse_type("TIMESTAMP_LTZ(6)")


def test_a_time_attribute_cast_to_its_own_type_becomes_a_plain_value() -> None:
    rowtime = InputRef(0, TimestampType(precision=3, kind=TimeKind.ROWTIME))
    actual = cast(rowtime, parse_type("TIMESTAMP(3)"))
    assert isinstance(actual, Call)
    assert type_of(actual) == TimestampType(precision=3)


def test_a_refused_cast_names_both_types() -> None:
    with pytest.raises(ProgramError, match=r"cannot cast DATE to INT"):
        cast(InputRef(0, parse_type("DATE")), parse_type("INT"))


def test_text_into_longer_text_needs_no_cast() -> None:
    rex = InputRef(0, parse_type("VARCHAR(10)"))
    assert implicit_cast(rex, parse_type("STRING")) is rex
    assert isinstance(implicit_cast(rex, parse_type("VARCHAR(5)")), Call)


def test_a_column_that_does_not_fit_its_sink_is_refused() -> None:
    with pytest.raises(ProgramError, match="write CAST"):
        implicit_cast(InputRef(0, parse_type("STRING")), parse_type("INT"))


def test_structured_types_have_no_common_type_with_others() -> None:
    one, two = parse_type("STRUCTURED<'com.A', a INT NOT NULL>"), parse_type("STRUCTURED<'com.A', a BIGINT>")
    assert least_restrictive([one, two]) is None
    assert least_restrictive([one, parse_type("STRUCTURED<'com.B', a INT NOT NULL>")]) is None
    assert least_restrictive([one.not_null(), one]) == one


@pytest.mark.parametrize(
    ("source", "target", "cast_needed"),
    [
        ("CHAR(5)", "VARCHAR(5)", False),
        ("CHAR(5)", "CHAR(8)", True),
        ("BINARY(4)", "BYTES", False),
        ("INT NOT NULL", "INT", False),
        ("INT", "DECIMAL(10, 2)", True),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", True),
        ("ROW<a INT, b STRING>", "ROW<x INT, y STRING>", False),
        ("STRUCTURED<'com.A', a INT>", "ROW<a INT>", False),
        ("MAP<CHAR(1) NOT NULL, INT NOT NULL>", "MAP<STRING, INT>", False),
        ("ARRAY<INT>", "ARRAY<BIGINT>", True),
    ],
)
def test_a_sink_gets_a_cast_only_where_values_change(source: str, target: str, cast_needed: bool) -> None:
    rex = InputRef(0, parse_type(source))
    assert (implicit_cast(rex, parse_type(target)) is not rex) is cast_needed
