"""References in docstrings and comments resolve: modules, their definitions, files of the repository."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("compiled_plan", "cli", "service", "planner", "plans", "schemas", "tools", "tests", "samples", "docs")
#: Folders of code to check.
CODE = ("compiled_plan", "cli", "service", "planner", "plans", "schemas", "tools", "tests")
_NAME = re.compile(rf"`(?:compiled_plan\.)?((?:{'|'.join(FOLDERS)})(?:\.\w+)+)(?:\(\))?`")
_PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})(?:/[\w.-]+)+/?)`")


@cache
def defined(module: Path) -> frozenset[str]:
    """The names at a module's top level, and those in its classes."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.alias():
                names.add(node.asname or node.name)
    return frozenset(names)


def leads_somewhere(name: str, root: Path = ROOT) -> bool:
    """Return True if a dotted name is a module or package of ours, or a definition in one."""
    place, parts = root, name.split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if parts and (place / f"{parts[0]}.py").exists():
        place = place / f"{parts.pop(0)}.py"
    module = place if place.suffix == ".py" else place / "__init__.py"
    return not parts or (module.exists() and set(parts) <= defined(module))


def prose(text: str) -> str:
    """The docstrings and comments of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    return "\n".join([*texts, *re.findall(r"#.*", text)])


def astray(file: Path) -> list[str]:
    """References in a file's prose that do not resolve."""
    text = file.read_text(encoding="utf-8")
    if not (_NAME.search(text) or _PATH.search(text)):
        return []
    text = prose(text)
    names = [name for name in _NAME.findall(text) if not leads_somewhere(name)]
    paths = [path for path in _PATH.findall(text) if not (ROOT / path).exists()]
    return [f"{file.relative_to(ROOT)}: `{name}`" for name in names + paths]


@pytest.mark.slow
def test_references_in_docstrings_resolve() -> None:
    files = [file for folder in CODE for file in sorted((ROOT / folder).rglob("*.py"))]
    assert [name for file in files for name in astray(file)] == []


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("a.b", True),
        ("a.b.made", True),
        ("a.b.Thing.of", True),
        ("a", True),
        ("a.c", False),
        ("a.b.gone", False),
    ],
)
def test_resolvable_references(name: str, there: bool, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/__init__.py").touch()
    (tmp_path / "a/b.py").write_text("class Thing:\n    def of(self): ...\nmade = 1\n")
    assert leads_somewhere(name, tmp_path) is there
