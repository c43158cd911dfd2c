"""Comparison of expected and actual rows."""

from __future__ import annotations

import pytest

from compiled_plan.plans import types as t
from compiled_plan.testing.comparing import Change, differences, row_text, table_of

ROW = t.row_of(("k", "v"), (t.STRING, t.DOUBLE))


def changes(text: str) -> list[Change]:
    """`+I a 1, -D b` as changes."""
    parts = (part.split() for part in text.split(",") if part.strip())
    return [Change(kind, (key, float(value[0]) if value else None)) for kind, key, *value in parts]


@pytest.mark.parametrize(
    ("expected", "actual", "key", "equal"),
    [
        ("+I a 1, +I b 2", "+I b 2, +I a 1", [0], True),
        ("+I a 1, +I b 2", "+I b 2, +I a 1", [], True),
        ("+I a 1, +U a 2", "+U a 2, +I a 1", [0], False),
        ("+I a 1", "+I a 1, +I a 1", [], False),
        ("+I a 1", "+U a 1", [0], False),
        ("+I a 0.3", "+I a 0.30000000000000004", [0], True),
    ],
)
def test_changes_have_an_order_within_a_key(expected: str, actual: str, key: list[int], equal: bool) -> None:
    difference = differences("t", changes(expected), changes(actual), ROW, key, in_order=True)
    assert (difference is None) == equal


def test_a_difference_names_rows_and_columns() -> None:
    difference = differences("t", changes("+I a 1, +I b 2"), changes("+I b 2, +U a 3"), ROW, [0], in_order=True)
    assert difference is not None
    assert difference.lines == (("-", "+I {k: a, v: 1.0}"), (" ", "+I {k: b, v: 2.0}"), ("+", "+U {k: a, v: 3.0}"))
    assert difference.columns == ("kind: expected +I, got +U; v: expected 1.0, got 3.0",)


@pytest.mark.parametrize(
    ("text", "key", "rows"),
    [
        ("+I a 1, -U a 1, +U a 2", [], ["a 2"]),
        ("+I a 1, +I a 1, -D a 1", [], ["a 1"]),
        ("+I a 1, +U a 2", [0], ["a 2"]),
        ("+I a 1, -D a", [0], []),
        ("+I a 1, -U a 1", [0], []),
        ("+I a 1, +U a 2, -U a 1", [0], ["a 2"]),
    ],
)
def test_the_table_of_changes(text: str, key: list[int], rows: list[str]) -> None:
    expected = [row_text(change, ROW) for change in changes(", ".join(f"+I {row}" for row in rows))]
    assert [row_text(change, ROW) for change in table_of(changes(text), ROW, key)] == expected
