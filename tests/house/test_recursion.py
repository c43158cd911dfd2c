"""Nothing between a plan's text and Spark recurses over expressions or nodes: Python limits the depth to 1,000.

`plans.trees` and `plans.rex` have folds and walks of any depth. The planner may recurse: it runs inside `plans.deep`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Types that may be nested or chained without bound.
UNBOUNDED = ("RexNode", "Call", "PlanNode", "CompiledPlan")
#: Recursive functions, with the bound of each.
BOUNDED = {
    "plans/rex/typing.py:type_within": "the levels of a row type: a field inside of a field",
    "plans/nodes/python.py:with_calls": "the fields that a node declares; an expression is changed as a whole",
    "plans/execution/stages/watermarks.py:watermark_times": "stateless nodes in a row; a planner merges them",
    "plans/execution/stages/tapping.py:tapped_rows": "Python functions in a row; Spark plans a step for each",
}


def recursive(tree: ast.Module) -> Iterator[str]:
    """The functions of a module that call themselves with a parameter of an unbounded type."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        annotations = " ".join(ast.unparse(arg.annotation) for arg in function.args.args if arg.annotation)
        words = annotations.replace("[", " ").replace("]", " ").replace(",", " ").replace("|", " ").split()
        if any(word in UNBOUNDED for word in words) and any(map(_calls(function.name), ast.walk(function))):
            yield function.name


def _calls(name: str):  # type: ignore[no-untyped-def]
    def is_call(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        called = node.func
        if isinstance(called, ast.Attribute):
            return called.attr == name and isinstance(called.value, ast.Name) and called.value.id == "self"
        return isinstance(called, ast.Name) and called.id == name

    return is_call


@pytest.mark.wide
def test_recursive_functions_have_a_bound() -> None:
    functions = {
        f"{path.relative_to(ROOT)}:{name}"
        for path in sorted((ROOT / "plans").rglob("*.py"))
        for name in recursive(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert functions - set(BOUNDED) == set(), "use plans.trees or plans.rex, or name the bound above"
    assert set(BOUNDED) - functions == set(), "no longer there"


def test_a_recursive_function_is_detected() -> None:
    text = """
def names(rex: RexNode | None) -> list[str]:
    return [name for child in rex.children() for name in names(child)]
class Reader:
    def read(self, nodes: tuple[PlanNode, ...]): return self.read(nodes[1:])
    def again(self, rex: RexNode): return other.again(rex)
def plain(type_: LogicalType): return plain(type_)
"""
    assert sorted(recursive(ast.parse(text))) == ["names", "read"]
