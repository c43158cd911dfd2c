"""Selection of tests by the marks of their tiers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_collection_modifyitems


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("", ["", "attack"]),
        ("not spark", ["", "attack"]),
        ("wide", ["", "wide", "attack", "attack wide"]),
        ("attack or attack and wide", ["", "wide", "attack", "attack wide"]),
        ("deep", ["", "deep", "deep wide", "attack"]),
        ("page", ["", "attack", "page"]),
    ],
)
def test_a_test_runs_if_its_longest_tier_is_named(expression: str, selected: list[str]) -> None:
    deselected: list[Any] = []
    items: list[Any] = [
        SimpleNamespace(name=marks, get_closest_marker=marks.split().count)
        for marks in ("", "wide", "deep", "deep wide", "attack", "attack wide", "page")
    ]
    every = list(items)
    hook = SimpleNamespace(pytest_deselected=lambda items: deselected.extend(items))
    config: Any = SimpleNamespace(option=SimpleNamespace(markexpr=expression), hook=hook)
    pytest_collection_modifyitems(config, items)
    assert [item.name for item in items] == selected
    assert [item for item in every if item not in items] == deselected
