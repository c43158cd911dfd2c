"""The pages and tables made from the declarations of functions are those of the declarations."""

from __future__ import annotations

from tools import signature_table
from tools.function_table import PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_signatures_are_current() -> None:
    assert signature_table.TABLE.read_text(encoding="utf-8") == signature_table.text(), "run `make docs`"
