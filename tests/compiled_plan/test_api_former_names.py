"""Former names of `compiled_plan.api` are the modules of today."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("environment", "environment"),
        ("scripts", "compiling.scripts"),
        ("results.table_result", "results.table_result"),
        ("catalog_objects.tables", "catalogs.tables"),
        ("reporting", "running.errors"),
        ("testing.plugin", "testing.plugin"),
    ],
)
def test_a_former_name_is_the_module_of_today(former: str, today: str) -> None:
    module = import_module(f"compiled_plan.{today}")
    spec = module.__spec__
    with pytest.warns(DeprecationWarning, match=f"import compiled_plan.{today}"):
        assert import_module(f"compiled_plan.api.{former}") is module
    assert module.__spec__ is spec


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"compiled_plan\.nothing"):
        import_module("compiled_plan.api.nothing")
