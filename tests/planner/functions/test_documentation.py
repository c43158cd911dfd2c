"""The page of built-in functions is that of the declarations."""

from __future__ import annotations

from tools.function_table import PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"
