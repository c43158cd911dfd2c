"""The signatures of calls in plans are those of the functions' declarations."""

from __future__ import annotations

from tools import signature_table


def test_the_signatures_are_current() -> None:
    assert signature_table.TABLE.read_text(encoding="utf-8") == signature_table.text(), "run `make docs`"
