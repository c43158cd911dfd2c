"""Counts in messages."""

from __future__ import annotations

import pytest

from compiled_plan.plans.text.visible import counted


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
