"""Messages of Flink as they are on the page."""

from __future__ import annotations

import pytest

from tools.coverage.ask import first_sentence


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("Not supported. Try another one.", "Not supported"),
        ("Unsupported call: F(INT). Expected F(STRING)", "Unsupported call: F"),
        ("Line 1, Column 7: Unknown type 'VARCHAR(2147483647)'", "Unknown type 'VARCHAR(2147483647)'"),
        ("namespace for t, scope CatalogScope@27730315", "namespace for t, scope CatalogScope@"),
        ("unexpected correlate variable $cor425 in the plan", "unexpected correlate variable $cor in the plan"),
    ],
)
def test_a_message_is_the_same_in_each_run(message: str, sentence: str) -> None:
    assert first_sentence(message) == sentence
