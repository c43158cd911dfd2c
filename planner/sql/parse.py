"""Parser of Flink SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from compiled_plan.planner.sql.grammar.script import Script
from compiled_plan.planner.sql.nodes import Expression, TypeSpec
from compiled_plan.planner.sql.nodes.statements import Statement
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import ProgramError

T = TypeVar("T")


def parse_script(text: str) -> list[Statement]:
    """Parse the statements of a script, in order.

    Args:
        text: statements separated by semicolons; optional after the last one.

    Raises:
        ProgramError: the text is no Flink SQL; names line and column and shows the source line with a caret.
        UnsupportedError: syntax of Flink that is not supported here; with the same position.
    """
    if not isinstance(text, str):
        raise ProgramError(f"SQL is a text, not {text!r}", remedy='write it as one: "SELECT ..."')
    return _script(text)


@deeply
def _script(text: str) -> list[Statement]:
    return Script(text).parse_script()


def parse_expression(text: str, python: str = "") -> Expression:
    """Parse one expression.

    Args:
        text: the expression.
        python: its Python text in a program of the Table API.

    Raises:
        ProgramError, UnsupportedError: as `parse_script`.
    """
    return _parsed(text, Script.parse_expression, "the end of the expression", python)


def parse_type(text: str) -> TypeSpec:
    """Parse one data type.

    Raises:
        ProgramError, UnsupportedError: as `parse_script`.
    """
    return _parsed(text, Script.parse_type, "the end of the type")


@deeply
def _parsed(text: str, read: Callable[[Script], T], end: str, python: str = "") -> T:
    parser = Script(text, python)
    result = read(parser)
    if not parser.at_end():
        parser.fail_expected(end)
    return result
