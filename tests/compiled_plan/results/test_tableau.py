"""Results as text. The lines are Flink 2.3's output for the same values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import parse_type, row_of
from compiled_plan.results.tableau import Display, lines, text_of

LONG = "a very long string that is longer than thirty characters certainly"


def printed(columns: dict[str, tuple[str, list[Any]]], kinds: list[int] | None = None) -> list[str]:
    row_type = row_of(tuple(columns), tuple(parse_type(type_) for type_, _ in columns.values()))
    values = [cells for _, cells in columns.values()]
    count = len(values[0])
    return list(lines(row_type, iter([Chunk(kinds or [0] * count, values)] if count else [])))


def test_numbers() -> None:
    lines = printed(
        {
            "a": ("INT", [1]),
            "b": ("TINYINT", [1]),
            "c": ("SMALLINT", [1]),
            "d": ("BIGINT", [1]),
            "e": ("BOOLEAN", [True]),
            "f": ("FLOAT", [1.5]),
            "g": ("DOUBLE", [1e10]),
            "h": ("DECIMAL(10, 3)", [Decimal("1.500")]),
        }
    )
    rule = (
        "+----+-------------+--------+--------+----------------------+--------+"
        "--------------------------------+--------------------------------+--------------+"
    )
    assert lines == [
        rule,
        "| op |           a |      b |      c |                    d |      e |"
        "                              f |                              g |            h |",
        rule,
        "| +I |           1 |      1 |      1 |                    1 |   TRUE |"
        "                            1.5 |                         1.0E10 |        1.500 |",
        rule,
        "1 row in set",
    ]


def test_texts_are_cut_to_their_column() -> None:
    lines = printed({"a": ("STRING", [LONG, "日本語", None, ""])})
    assert lines[3:-2] == [
        "| +I | a very long string that is ... |",
        "| +I |                         日本語 |",
        "| +I |                         <NULL> |",
        "| +I |                                |",
    ]
    assert lines[-1] == "4 rows in set"


def test_changes_and_no_rows() -> None:
    assert printed({"a": ("INT", [])}) == ["Empty set"]
    assert [line[2:4] for line in printed({"a": ("INT", [1, 1, 2, 2])}, [0, 1, 2, 3])[3:-2]] == ["+I", "-U", "+U", "-D"]


def test_a_column_is_as_wide_as_its_name() -> None:
    assert printed({"a_very_long_name": ("INT", [1])})[1] == "| op | a_very_long_name |"


NOON = dt.datetime(2020, 1, 1, 10, 11, 12, 123000)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("BYTES", b"\x01\x02", "x'0102'"),
        ("DATE", dt.date(2020, 1, 1), "2020-01-01"),
        ("TIME(0)", 36672000, "10:11:12"),
        ("TIME(3)", 36672120, "10:11:12.120"),
        ("TIMESTAMP(3)", NOON, "2020-01-01 10:11:12.123"),
        ("TIMESTAMP(0)", NOON, "2020-01-01 10:11:12"),
        ("TIMESTAMP(6)", NOON, "2020-01-01 10:11:12.123000"),
        ("TIMESTAMP(9)", NOON, "2020-01-01 10:11:12.123000000"),
        ("TIMESTAMP_LTZ(3)", NOON.replace(tzinfo=dt.UTC), "2020-01-01 10:11:12.123"),
        ("INTERVAL DAY TO SECOND", 93784000, "+1 02:03:04.000"),
        ("INTERVAL DAY TO SECOND", -300000, "-0 00:05:00.000"),
        ("INTERVAL YEAR TO MONTH", 14, "+1-02"),
        ("INTERVAL MONTH", 3, "+0-03"),
        ("ARRAY<INT>", [1, 2, None], "[1, 2, NULL]"),
        ("ARRAY<BYTES>", [b"\x01"], "[x'01']"),
        ("MAP<STRING, ARRAY<INT>>", {"a": [1]}, "{a=[1]}"),
        ("MULTISET<INT>", {1: 2, 2: 1}, "{1=2, 2=1}"),
        ("ROW<a INT, b STRING>", (1, None), "(1, NULL)"),
        ("STRUCTURED<'U', a STRUCTURED<'W', x INT>, b ARRAY<INT>>", ((1,), [1, 2]), "(a=(x=1), b=[1, 2])"),
        ("DOUBLE", 1e-5, "1.0E-5"),
        ("DOUBLE", 1e7, "1.0E7"),
        ("DOUBLE", 123456789.125, "1.23456789125E8"),
        ("DOUBLE", 0.001, "0.001"),
        ("DOUBLE", -0.0, "-0.0"),
        ("DOUBLE", float("nan"), "NaN"),
        ("DOUBLE", float("-inf"), "-Infinity"),
        ("FLOAT", 0.10000000149011612, "0.1"),
        ("FLOAT", 3.4028234663852886e38, "3.4028235E38"),
        ("BOOLEAN", False, "FALSE"),
    ],
)  # fmt: skip
def test_values(type_: str, value: Any, text: str) -> None:
    assert text_of(parse_type(type_))(value) == text


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/Berlin", "2020-01-01 11:11:12.123"),
        ("GMT-08:00", "2020-01-01 02:11:12.123"),
        ("+05:30", "2020-01-01 15:41:12.123"),
        ("UTC", "2020-01-01 10:11:12.123"),
    ],
)
def test_points_in_time_are_those_of_the_sessions_zone(zone: str, text: str) -> None:
    row_type = row_of(("a", "b"), (parse_type("TIMESTAMP_LTZ(3)"), parse_type("ARRAY<TIMESTAMP_LTZ(3)>")))
    value = NOON.replace(tzinfo=dt.UTC)
    shown = list(lines(row_type, iter([Chunk([0], [[value], [[value]]])]), Display(zone)))[3]
    assert f" {text} " in shown and f"[{text}]" in shown
