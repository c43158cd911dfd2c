"""Values by type, and back into YAML."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Any

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.types.parse import parse_type
from compiled_plan.testing.document import read_document
from compiled_plan.testing.values import ValueFault, comparable, internal_row, internal_value, shown, written_value

NOON = dt.datetime(2024, 1, 31, 12, 0, 0, 500_000)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("INT", "7", 7),
        ("DECIMAL(10, 2)", "9.5", Decimal("9.50")),
        ("DECIMAL(10, 2)", "'9.50'", Decimal("9.50")),
        ("DOUBLE", "9.5", 9.5),
        ("DOUBLE", "Infinity", float("inf")),
        ("STRING", "'yes'", "yes"),
        ("STRING", "'?a, b'", "?a, b"),
        ("STRING", r'"\x85\ud83d \u2028\x7f\n"', "\x85\ud83d \u2028\x7f\n"),
        ("STRING", "😀", "😀"),
        ("BOOLEAN", "true", True),
        ("FLOAT", "0.1", struct.unpack("f", struct.pack("f", 0.1))[0]),
        ("FLOAT", "-Infinity", float("-inf")),
        ("TIME(3)", "12:00:01.5", 43_201_500),
        ("INTERVAL DAY TO SECOND", "-1 d", -86_400_000),
        ("BYTES", "0x0aff", b"\x0a\xff"),
        ("DATE", "2024-01-31", dt.date(2024, 1, 31)),
        ("TIME(0)", "12:00:01", 43_201_000),
        ("TIMESTAMP(3)", "2024-01-31 12:00:00.5", NOON),
        ("TIMESTAMP_LTZ(3)", "2024-01-31 12:00:00.5Z", NOON.replace(tzinfo=dt.UTC)),
        ("INTERVAL DAY TO SECOND", "90 min", 5_400_000),
        ("INTERVAL YEAR TO MONTH", "14", 14),
        ("ARRAY<DECIMAL(3, 1)>", "[1.5, null]", [Decimal("1.5"), None]),
        ("MAP<STRING, INT>", "{a: 1}", {"a": 1}),
        ("MAP<STRING, INT>", "[[null, 1], [a, 2]]", {None: 1, "a": 2}),
        ("MAP<STRING, INT>", f"[[{'k' * 2000}, 1]]", {"k" * 2000: 1}),
        ("MAP<INT, INT>", "[[1, 2]]", {1: 2}),
        ("MAP<INT, INT>", "{1: 2}", {1: 2}),
        ("MULTISET<INT>", "{7: 2}", {7: 2}),
        ("MULTISET<STRING>", "[a, b, a]", {"a": 2, "b": 1}),
        ("ROW<`a` INT, `b` STRING>", "{a: 1}", (1, None)),
        ("ROW<`a` INT, `b` STRING>", "[1, x]", (1, "x")),
    ],
)
def test_values_by_type(type_: str, text: str, value: Any) -> None:
    logical = parse_type(type_)
    internal = internal_value(read_document("x", text).value, logical)
    assert internal == value
    again = internal_value(read_document("x", shown(written_value(internal, logical))).value, logical)
    assert comparable(again, logical) == comparable(internal, logical)


@pytest.mark.parametrize(
    ("type_", "text", "message"),
    [
        ("INT", "1.5", "1.5 is no INT"),
        ("TINYINT", "300", "TINYINT"),
        ("DECIMAL(4, 2)", "1.234", "more than 2 digits"),
        ("STRING", "1", "1 is no VARCHAR"),
        ("VARCHAR(2)", "abc", "3 characters"),
        ("DATE", "soon", "soon is no DATE"),
        ("ARRAY<INT>", "1", "1 is no ARRAY"),
        ("MAP<INT, INT>", "{a: 2}", "{a: 2} is no MAP"),
        ("MULTISET<STRING>", "{a: 1.5}", "{a: 1.5} is no MULTISET"),
        ("MULTISET<STRING>", "{a: -1}", "{a: -1} is no MULTISET"),
        ("ROW<`a` INT>", "{b: 1}", "no column 'b'"),
        ("ROW<`a` INT>", "[1, 2]", "2 values for 1 columns"),
    ],
)
def test_values_of_another_type(type_: str, text: str, message: str) -> None:
    with pytest.raises(ValueFault, match=message) as fault:
        internal_value(read_document("x", text).value, parse_type(type_))
    assert fault.value.remedy


def test_a_fault_names_the_place() -> None:
    row = t.row_of(("a",), (t.ArrayType(element=t.INT),))
    with pytest.raises(ValueFault) as fault:
        internal_row({"a": [1, "x"]}, row)
    assert fault.value.path == ("a", 1)
