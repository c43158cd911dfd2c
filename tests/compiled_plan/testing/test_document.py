"""Files of tests: YAML with kinds of changes, texts of numbers and times, and the places of all values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.testing.document import is_plain_text, read_document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[+I {a: 1}, -D: {a: 2}]", [{"+I": {"a": 1}}, {"-D": {"a": 2}}]),
        ("- -U {a: 1}\n- +U: [1, x]\n- +I [2]", [{"-U": {"a": 1}}, {"+U": [1, "x"]}, {"+I": [2]}]),
        ("{a: -Item, b: +I, c: -D}", {"a": "-Item", "b": "+I", "c": "-D"}),
        ("9.50", Decimal("9.50")),
        ("{a: 2024-01-01 00:00:00, b: 12:30, 1: x}", {"a": "2024-01-01 00:00:00", "b": "12:30", "1": "x"}),
        ("{a: .inf, b: 1e3, c: true, d: }", {"a": float("inf"), "b": Decimal(1000), "c": True, "d": None}),
        ("{a: no, b: 0x0aff, c: ~, on: -7}", {"a": "no", "b": "0x0aff", "c": None, "on": -7}),
        ("[&x -D {a: 1}, *x]", [{"-D": {"a": 1}}, {"-D": {"a": 1}}]),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert read_document("x.test.yaml", text).value == value


def test_places() -> None:
    document = read_document("x.test.yaml", "program: a\nsteps:\n  - rows: {t: [{a: 1}]}\n")
    assert document.where(("steps", 0, "rows", "t", 0, "no")).endswith("x.test.yaml', line 3")
    spot = document.spots["steps", 0, "rows", "t"]
    assert document.text[spot.start : spot.end] == "[{a: 1}]"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1", "line 1"),
        ("a: 1\na: 2", "line 2"),
        ("a: 1\n? [1]\n: 2", "line"),
        ("a: 1\nb: \x01", "line 2"),
        ("a: 1\nb: !!int x", "line 2"),
        ("a: 1\nb: !!set {x}", "line 2"),
        ("a: &a [*a]", "x.test.yaml"),
        ("[" * 3000, "x.test.yaml"),
    ],
)
def test_errors_have_lines(text: str, line: str) -> None:
    with pytest.raises(ProgramError) as fault:
        read_document("x.test.yaml", text)
    assert line in fault.value.where


@pytest.mark.parametrize("text", ["true", "null", "1", "9.5", "a: b", "# x", " a", "+I x", "-", "", "a #b", "a\nb"])
def test_texts_that_need_quotes(text: str) -> None:
    assert not is_plain_text(text)
