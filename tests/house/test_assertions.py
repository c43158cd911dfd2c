"""Every test can fail: it asserts, expects an error or a warning, or calls a test helper that does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
#: Calls that fail by themselves; `check_schema` is jsonschema's.
ASSERTING = {"raises", "warns", "fail", "check_schema"}


@dataclass(frozen=True)
class Module:
    """The tests of a file, its functions by name, and the origin of each imported name."""

    tests: tuple[ast.FunctionDef, ...]
    functions: dict[str, ast.FunctionDef]
    imported: dict[str, tuple[str, str]]


def read(path: Path) -> Module:
    """Parse a test file."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    imported = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    tests = tuple(function for function in functions if function.name.startswith("test_"))
    return Module(tests, {function.name: function for function in functions}, imported)


def name_of(path: Path) -> str:
    """The module name of a test file."""
    parts = path.relative_to(TESTS.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def helpers(called: str, module: Module, modules: dict[str, Module]) -> Iterator[tuple[Module, ast.FunctionDef]]:
    """Test helpers that a call may resolve to: a function here, an imported one, a method of an imported class."""
    where, name = module.imported.get(called, ("", called))
    imported = dict.fromkeys(source for source, _ in module.imported.values())
    for home in (modules.get(where, module), *(modules[source] for source in imported if source in modules)):
        if name in home.functions:
            yield home, home.functions[name]


def asserts(function: ast.FunctionDef, module: Module, modules: dict[str, Module], on_the_way: frozenset[int]) -> bool:
    """Return True if a function asserts by itself or through a helper."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in ASSERTING:
            return True
        for home, helper in helpers(called, module, modules):
            if id(helper) not in on_the_way and asserts(helper, home, modules, on_the_way | {id(helper)}):
                return True
    return False


def silent(files: dict[str, Module]) -> list[str]:
    """The tests without an assertion."""
    return [
        f"{name}::{function.name}"
        for name, module in files.items()
        for function in module.tests
        if not asserts(function, module, files, frozenset({id(function)}))
    ]


@pytest.mark.wide
@pytest.mark.slow
def test_every_test_asserts() -> None:
    files = {name_of(path): read(path) for path in TESTS.rglob("*.py")}
    assert silent(files) == [], "give each an assertion, or take it away"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_a():\n    assert 1", []),
        ("def test_a():\n    with pytest.raises(ValueError):\n        f()", []),
        ("def check(x):\n    assert x\ndef test_a():\n    check(1)", []),
        ("def check(x):\n    return x\ndef test_a():\n    check(1)", ["a::test_a"]),
        ("def test_a():\n    test_a()", ["a::test_a"]),
    ],
)
def test_assertions_are_recognized(text: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    assert silent({"a": read(tmp_path / "a.py")}) == expected
