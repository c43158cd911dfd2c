"""Deferred modules: type checkers and the running program see the same module, each of them once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "compiled_plan", "planner", "plans", "schemas", "service")
CODE = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
USERS = [path for path in CODE if "import deferred\n" in path.read_text(encoding="utf-8")]


def shown_and_run(tree: ast.Module) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Modules by local name: those imported under TYPE_CHECKING, and the deferred ones."""
    for node in tree.body:
        if not isinstance(node, ast.If) or not node.orelse:
            continue
        shown = {
            name.asname or name.name: f"{item.module}.{name.name}" if isinstance(item, ast.ImportFrom) else name.name
            for item in node.body
            if isinstance(item, ast.Import | ast.ImportFrom)
            for name in item.names
        }
        run = {
            ast.unparse(item.targets[0]): ast.literal_eval(item.value.args[0])
            for item in node.orelse
            if isinstance(item, ast.Assign) and isinstance(item.value, ast.Call)
        }
        yield shown, run


@pytest.mark.parametrize("path", USERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_both_branches_name_the_same_module(path: Path) -> None:
    pairs = list(shown_and_run(ast.parse(path.read_text(encoding="utf-8"))))
    assert any(run for _, run in pairs)
    for shown, run in pairs:
        assert run.items() <= shown.items()


def imported(body: list[ast.stmt]) -> set[str]:
    imports = (node for node in body if isinstance(node, ast.Import | ast.ImportFrom))
    return {name.asname or name.name for node in imports for name in node.names}


@pytest.mark.slow
def test_no_import_is_repeated_for_type_checkers() -> None:
    repeated = {}
    for path in CODE:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        shown = [node.body for node in body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        if names := set().union(*map(imported, shown)) & imported(body):
            repeated[path.relative_to(ROOT).as_posix()] = names
    assert repeated == {}
