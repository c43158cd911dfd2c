"""Suggestions of the nearest name, or of all names."""

from __future__ import annotations

import pytest

from compiled_plan.planner.diagnostics.suggestions import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "remedy"),
    [
        ("itm", ["id", "item"], "did you mean 'item'?"),
        ("Item", ["id", "item"], "did you mean 'item'? (names are case-sensitive)"),
        ("uper", ["LOWER", "UPPER"], "did you mean 'UPPER'?"),
        ("frobnicate", ["TRUNCATE"], "there are: TRUNCATE"),
        ("x", [], ""),
        (
            "zzz",
            [f"c{number}" for number in range(10, 22)],
            "there are: c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, ...",
        ),
    ],
)
def test_remedies(name: str, known: list[str], remedy: str) -> None:
    assert did_you_mean(name, known) == remedy


def test_an_explicit_remedy_replaces_the_list_of_names() -> None:
    assert did_you_mean("zzz", ["abc"], "create it") == "create it"
    assert did_you_mean("abd", ["abc"], "create it") == "did you mean 'abc'?"
