"""Refusals by name: those in the code, with their remedies."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from compiled_plan.plans.errors import NestingError, UnsupportedError
from compiled_plan.plans.findings import refusal
from tools.reference.markdown import code, table

ROOT = Path(__file__).resolve().parent.parent.parent
_FOLDERS = ("compiled_plan", "planner", "plans")
_ERROR = UnsupportedError.__name__
_ERRORS = {_ERROR, NestingError.__name__, refusal.__name__}


def refusals() -> str:
    """Refusals with their remedies and folders; `...` is a part that depends on the program."""
    trees = {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
        for folder in _FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    helpers = {(_part(path), name) for path, tree in trees.items() for name in _helpers(tree)}
    rows = {row for path, tree in trees.items() for row in _in(path, tree, helpers)}
    return table(("what", "instead", "said in"), sorted(rows))


def _part(path: Path) -> str:
    """The part of the code that uses a helper: the first two folders."""
    return "/".join(path.parts[:2])


def _helpers(tree: ast.Module) -> Iterator[str]:
    """Functions of a module that create or raise a refusal."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            text = ast.unparse(node.returns)
            if text == _ERROR or (text == "NoReturn" and _ERROR in ast.unparse(node)):
                yield node.name


def _in(path: Path, tree: ast.Module, helpers: set[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    assigned = sorted((node for node in ast.walk(tree) if isinstance(node, ast.Assign)), key=lambda node: node.lineno)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        # The text of a variable is that of its last assignment before the use.
        texts_of = {
            target.id: assignment.value
            for assignment in assigned
            for target in assignment.targets
            if isinstance(target, ast.Name) and assignment.lineno < node.lineno
        }
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in _ERRORS and (_part(path), name) not in helpers:
            continue
        values = (texts_of.get(arg.id, arg) if isinstance(arg, ast.Name) else arg for arg in node.args)
        texts = [text for text in map(_text, values) if text != "..."]
        remedy = next((_text(word.value) for word in node.keywords if word.arg == "remedy"), "")
        if texts and texts[0].strip(".") and not texts[0].startswith("... is not supported"):
            yield texts[0], remedy or "; ".join(texts[1:]), code(path.parent.as_posix())


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in parts)
        case ast.IfExp(body=consequence, orelse=alternative):
            return f"{_text(consequence)}, or {_text(alternative)}"
    return "..."
