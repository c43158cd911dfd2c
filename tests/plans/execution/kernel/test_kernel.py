"""Search for the kernel's jar."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution import kernel
from tools import build_kernel


def test_the_jar_is_the_one_that_the_build_makes() -> None:
    assert build_kernel.PRODUCT.jar.name == kernel.JAR_NAME
    assert kernel.kernel_jar().samefile(build_kernel.PRODUCT.jar)


def test_the_jar_contains_no_test_classes() -> None:
    apart = classes(build_kernel.TESTS.jar)
    assert "org/compiledplan/kernel/harness/OperatorHarness.class" in apart
    assert not apart & classes(kernel.kernel_jar())


def classes(jar: Path) -> set[str]:
    """The classes in a jar."""
    return {name for name in zipfile.ZipFile(jar).namelist() if name.endswith(".class")}


def test_a_missing_jar_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "JAR_NAME", "no-such.jar")
    with pytest.raises(ExecutionError, match="make kernel"):
        kernel.kernel_jar()
