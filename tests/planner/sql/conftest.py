"""Parsing helpers: one statement, one expression, and a tree as a short text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.nodes.statements import Query, Statement
from compiled_plan.planner.sql.parse import parse_script


def render(value: Any) -> str:
    """A tree in one line: class(fields that are set), the first field without its name."""
    match value:
        case ast.Identifier(name):
            return name if name.replace("_", "a").isalnum() else f"`{name}`"
        case ast.ColumnRef(parts):
            return ".".join(map(render, parts))
        case ast.Constant(text, is_string):
            return f"'{text}'" if is_string else text
        case ast.Binary(operator, left, right):
            return f"{operator}({render(left)}, {render(right)})"
        case ast.Unary(operator, operand):
            return f"{operator}({render(operand)})"
        case ast.Node():
            names = [item.name for item in fields(value) if item.name not in ("span", "python")]
            attributes = {name: getattr(value, name) for name in names}
            shown = [(name, part) for name, part in attributes.items() if part not in (None, (), False, "")]
            texts = [render(part) if name == names[0] else f"{name}={render(part)}" for name, part in shown]
            return f"{type(value).__name__}({', '.join(texts)})"
        case tuple():
            return f"[{', '.join(map(render, value))}]"
    return str(value)


@pytest.fixture(scope="session")
def shape() -> Callable[[Any], str]:
    """A parsed tree as text."""
    return render


@pytest.fixture(scope="session")
def statement() -> Callable[[str], Statement]:
    """The one statement of a text."""

    def parse(text: str) -> Statement:
        (only,) = parse_script(text)
        return only

    return parse


@pytest.fixture(scope="session")
def query(statement: Callable[[str], Statement]) -> Callable[[str], ast.QueryNode]:
    """The tree of a query."""

    def parse(text: str) -> ast.QueryNode:
        parsed = statement(text)
        assert isinstance(parsed, Query)
        return parsed.query

    return parse


@pytest.fixture(scope="session")
def expression(query: Callable[[str], ast.QueryNode]) -> Callable[[str], ast.Expression]:
    """The tree of an expression in SELECT."""

    def parse(text: str) -> ast.Expression:
        select = query(f"SELECT {text}")
        assert isinstance(select, ast.Select)
        (only,) = select.items
        return only

    return parse
