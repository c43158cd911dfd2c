"""Modules that `--functions-from` allows, and the classes in them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.rex.python import PythonFunction
from compiled_plan.plans.types.conversions import resolve_class
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.row import Row


def test_modules_that_a_plan_is_allowed_are_of_no_other_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `--functions-from` allows holds for that plan: not for another one, nor for the process afterwards."""
    (tmp_path / "permitted.py").write_text(
        "from dataclasses import dataclass\n"
        "from compiled_plan import ScalarFunction\n\n\n"
        "@dataclass\nclass User:\n    name: str\n\n\n"
        "class Greet(ScalarFunction):\n    def eval(self, user: User) -> str:\n        return user.name\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    reference = PythonFunction("permitted", "Greet", kind="SCALAR")
    allowed, other = PythonFunctions(("permitted",)), PythonFunctions()
    assert "Greet" in type(allowed.callables(reference, "node 1").function).__name__
    with allowed.permitted():
        found = resolve_class("permitted.User")
        assert found is not None and DataTypes.of("STRUCTURED<'permitted.User', name STRING>").conversion_class is found
    # The module is loaded now, and its class was used as a type: by the plan that may.
    assert "permitted" in sys.modules and resolve_class("permitted.User") is None
    with other.permitted():
        assert resolve_class("permitted.User") is None
        assert DataTypes.of("STRUCTURED<'permitted.User', name STRING>").conversion_class is Row
    with pytest.raises(UnsupportedError, match="--functions-from permitted"):
        other.callables(reference, "node 1")
    with PythonFunctions(("permit",)).permitted():
        assert resolve_class("permitted.User") is None
