"""Parsing for the tests of this folder: one statement, one expression, and a tree as a short text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlglot import exp

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.nodes.statements import Query, Statement
from compiled_plan.planner.sql.parse import parse_script


def render(value: Any) -> str:
    """A tree in one line: class(arguments that are set), names and literals as they are."""
    if isinstance(value, exp.Identifier):
        return f"`{value.name}`" if value.args.get("quoted") else value.name
    if isinstance(value, ast.ColumnRef):
        return ".".join(render(part) for part in value.parts)
    if isinstance(value, exp.Literal):
        return f"'{value.this}'" if value.is_string else value.this
    if isinstance(value, exp.Expr):
        arguments = [_argument(key, child) for key, child in value.args.items() if child not in (None, [], False, "")]
        return f"{type(value).__name__}({', '.join(arguments)})"
    if isinstance(value, list):
        return f"[{', '.join(render(item) for item in value)}]"
    return str(value)


def _argument(key: str, value: Any) -> str:
    return render(value) if key in ("this", "expression") else f"{key}={render(value)}"


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
def query(statement: Callable[[str], Statement]) -> Callable[[str], exp.Expr]:
    """The tree of a query."""

    def parse(text: str) -> exp.Expr:
        parsed = statement(text)
        assert isinstance(parsed, Query)
        return parsed.query

    return parse


@pytest.fixture(scope="session")
def expression(query: Callable[[str], exp.Expr]) -> Callable[[str], exp.Expr]:
    """The tree of an expression: what SELECT selects."""

    def parse(text: str) -> exp.Expr:
        (only,) = query(f"SELECT {text}").expressions
        assert isinstance(only, exp.Expr)
        return only

    return parse
