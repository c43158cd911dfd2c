"""Modules that `--functions-from` allows, and the classes in them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, UnsupportedError
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.rex.python import PythonFunction
from compiled_plan.plans.types.conversions import resolve_class
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.row import Row


def test_allowed_modules_apply_to_one_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--functions-from` applies to that plan: not to another one, nor to the process afterwards."""
    (tmp_path / "permitted.py").write_text(
        "from dataclasses import dataclass\n"
        "from compiled_plan import ScalarFunction\n\n\n"
        "@dataclass\nclass User:\n    name: str\n\n\n"
        "class Greet(ScalarFunction):\n    def eval(self, user: User) -> str:\n        return user.name\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    reference = PythonFunction("permitted", "Greet", kind="SCALAR")
    allowed, denied = PythonFunctions(("permitted",)), PythonFunctions()
    assert "Greet" in type(allowed.callables(reference, "node 1").function).__name__
    with allowed.permitted():
        class_ = resolve_class("permitted.User")
        assert (
            class_ is not None and DataTypes.of("STRUCTURED<'permitted.User', name STRING>").conversion_class is class_
        )
    # The module is loaded now, and its class was used as a type: by the plan that may.
    assert "permitted" in sys.modules and resolve_class("permitted.User") is None
    with denied.permitted():
        assert resolve_class("permitted.User") is None
        assert DataTypes.of("STRUCTURED<'permitted.User', name STRING>").conversion_class is Row
    with pytest.raises(UnsupportedError, match="--functions-from permitted"):
        denied.callables(reference, "node 1")
    with PythonFunctions(("permit",)).permitted():
        assert resolve_class("permitted.User") is None


_FUNCTION = """from compiled_plan import ScalarFunction


class F(ScalarFunction):
    def eval(self, a: int) -> int:
        return a
"""


@pytest.mark.attack
def test_a_module_is_imported_from_the_folders_that_were_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module of the same name that Python would find first is refused, and is not imported."""
    first, checked, sign = tmp_path / "first", tmp_path / "checked", tmp_path / "sign"
    for folder in (first, checked):
        folder.mkdir()
    (checked / "pinned.py").write_text(_FUNCTION)
    (checked / "shadowed.py").write_text(_FUNCTION)
    (first / "shadowed.py").write_text(f"open({str(sign)!r}, 'w').close()\n{_FUNCTION}")
    monkeypatch.syspath_prepend(str(checked))
    monkeypatch.syspath_prepend(str(first))
    pinned = PythonFunctions((f"pinned={checked}",))
    file = str((checked / "pinned.py").resolve())
    assert pinned.callables(PythonFunction("pinned", "F", kind="SCALAR", file=file), "node 1")
    for name in ("shadowed", "json"):
        with pytest.raises(CompiledPlanError, match="none of the folders"):
            PythonFunctions((f"{name}={checked}",))
    # In one of the folders, but not the file that the plan names.
    both = PythonFunctions((f"shadowed={checked}{os.pathsep}{first}",))
    reference = PythonFunction("shadowed", "F", kind="SCALAR", file=str((checked / "shadowed.py").resolve()))
    with pytest.raises(ExecutionError, match="not the one in"):
        both.callables(reference, "node 1")
    assert not sign.exists()
