"""Files generated from the declarations of functions are up to date."""

from __future__ import annotations

import pytest

from tools import expression_methods, signature_table


@pytest.mark.wide
@pytest.mark.slow
def test_the_signatures_are_current() -> None:
    assert signature_table.TABLE.read_text(encoding="utf-8") == signature_table.text(), "run `make docs`"


def test_the_methods_of_the_table_api_are_current() -> None:
    for path, text in expression_methods.texts().items():
        assert path.read_text(encoding="utf-8") == text, "run `make docs`"
