"""The digest of a function's code: its semantics, not its layout."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from compiled_plan.plans.functions.code import code_digest

MODULE = '''
"""A module."""
import math
import re
import rates_of_test
from rates_of_test import rounded

RATE = 2
PATTERN = re.compile("[a-z]+")
TABLE = {"a": [1, 2], "b": {3}}
UNUSED = 1

def helper(x):
    return x * RATE

def other(x):
    return x

class Base:
    def scale(self, x):
        return x + 1

class Taxed(Base):
    """A function."""

    def eval(self, x: int, step: int = 1) -> int:
        # The computation.
        found = math.floor(rounded(helper(self.scale(x)))) + rates_of_test.EXTRA
        return found + len(TABLE["a"]) + step + len(PATTERN.pattern)
'''
BESIDE = """
EXTRA = 5
OTHER = 6

def rounded(x):
    return x + _digits()

def _digits():
    return 1
"""

Digest = Callable[..., str]


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Digest]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = ("taxes_of_test", "rates_of_test")

    def load(module: str = MODULE, beside: str = BESIDE) -> str:
        for name, text in zip(names, (module, beside), strict=True):
            (tmp_path / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        imported: ModuleType = importlib.import_module(names[0])
        return code_digest(imported.Taxed)

    yield load
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# The computation.", "# Another comment."),
        ('"""A function."""', '"""The function."""'),
        ("UNUSED = 1", "UNUSED = 2"),
        ("def other(x):\n    return x", "def other(x):\n    return -x"),
        ("return x * RATE", "return (\n        x * RATE\n    )"),
        ('{"a": [1, 2], "b": {3}}', "dict(a=[1, 2], b={3})"),
    ],
)
def test_unused_code_does_not_change_the_digest(digest: Digest, old: str, new: str) -> None:
    assert old in MODULE
    assert digest() == digest(MODULE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 2", "RATE = 3"),
        ("RATE = 2", "RATE = 1 + 2"),
        ("return x * RATE", "return x - RATE"),
        ("return x + 1", "return x + 2"),
        ("step: int = 1", "step: int = 2"),
        ("[1, 2]", "[1, 2, 3]"),
        ("math.floor", "math.ceil"),
        ("[a-z]+", "[a-y]+"),
        ("class Base:", "class Base(dict):"),
    ],
)
def test_used_code_changes_the_digest(digest: Digest, old: str, new: str) -> None:
    assert old in MODULE
    assert digest() != digest(MODULE.replace(old, new))


def test_used_parts_of_sibling_modules_change_the_digest(digest: Digest) -> None:
    first = digest()
    assert first == digest(MODULE, BESIDE.replace("OTHER = 6", "OTHER = 7"))
    assert first != digest(MODULE, BESIDE.replace("EXTRA = 5", "EXTRA = 6"))
    assert first != digest(MODULE, BESIDE.replace("return 1", "return 2"))


def test_a_class_without_a_file_has_a_digest() -> None:
    def scaler(factor: int) -> type:
        return type("Times", (), {"eval": lambda self, x: x * factor})

    def run(text: str) -> type:
        space: dict[str, type] = {"__name__": "no_module_of_test"}  # type: ignore[dict-item]
        exec(text, space)
        return space["Times"]

    source = "class Times:\n    def eval(self, x):\n        return x * {}\n"
    assert code_digest(scaler(2)) == code_digest(scaler(2))
    assert code_digest(scaler(2)) != code_digest(scaler(3))
    assert code_digest(run(source.format(2))) == code_digest(run(source.format(2)))
    assert code_digest(run(source.format(2))) != code_digest(run(source.format(3)))
