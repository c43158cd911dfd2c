"""Counts in messages."""

from __future__ import annotations

import pytest

from compiled_plan.plans.text.visible import counted, visible


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (0, "row", "0 rows"),
        (1, "row", "1 row"),
        (2, "row", "2 rows"),
        (1, "batch", "1 batch"),
        (2, "batch", "2 batches"),
    ],
)
def test_a_count_has_singular_and_plural(number: int, word: str, text: str) -> None:
    assert counted(number, word) == text


def test_characters_that_control_a_terminal_or_end_xml_are_escaped() -> None:
    assert visible("a\x1b\u202e\uffff\tb\n") == r"a\u001b\u202e\uffff" + "\tb\n"
