from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.properties import properties_text, read_properties


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("a=b", {"a": "b"}),
        ("a  b c", {"a": "b c"}),
        (" a : b\r\n\n# c=d\n! e=f\n", {"a": "b"}),
        ("a=\nb", {"a": "", "b": ""}),
        (r"a\=b=c\\d\n\u00e9", {"a=b": "c\\d\né"}),
        ("a==b", {"a": "=b"}),
        ("a=b\\\\", {"a": "b\\"}),
    ],
)
def test_settings_of_a_file(text: str, settings: dict[str, str]) -> None:
    assert read_properties(text, "conf") == settings


@pytest.mark.parametrize("text", ["a=b\n=c", "a=b \\", "a=b\\\\\\", "a\\"])
def test_an_invalid_line(text: str) -> None:
    with pytest.raises(ProgramError, match="no setting") as raised:
        read_properties(text, "conf")
    assert raised.value.where.startswith("conf, line ")


@given(st.dictionaries(st.text(min_size=1, alphabet=st.characters(codec="utf-8")).filter(str.strip), st.text()))
def test_settings_survive_a_round_trip(settings: dict[str, str]) -> None:
    assert read_properties(properties_text(settings), "conf") == settings
