"""Flink SQL text to statements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from sqlglot.errors import TokenError

from compiled_plan.planner.sql.dialect import Flink
from compiled_plan.planner.sql.nodes.position import render, span_at
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import Token, exp

    from compiled_plan.planner.sql.grammar.script import Script
    from compiled_plan.planner.sql.nodes import TypeSpec
    from compiled_plan.planner.sql.nodes.statements import Statement

T = TypeVar("T")

#: Whole strings, identifiers and comments; and, where none is whole, its opening alone.
_QUOTED = re.compile(r"(?s)'[^']*'|`[^`]*`|(?:--|//)[^\r\n]*|/\*(?!\+).*?\*/|'|`|/\*(?!\+)")
_CLOSING = {"'": ("'", "a string"), "`": ("`", "an identifier in backticks"), "/*": ("*/", "a comment")}
_BAD_BINARY = re.compile(r"[xX]'(?![0-9A-Fa-f]*')[^']*'")


def parse_script(text: str) -> list[Statement]:
    """The statements of a script, in order.

    Args:
        text: statements with semicolons between them; the last one needs none.

    Raises:
        ProgramError: the text is no Flink SQL; it names line and column and shows the source line with a caret.
        UnsupportedError: Flink has this syntax, and it is not supported here; told in the same way.
    """
    if not isinstance(text, str):
        raise ProgramError(f"SQL is a text, not {text!r}", remedy='write it as one: "SELECT ..."')
    return _script(text)


@deeply
def _script(text: str) -> list[Statement]:
    parser = _parser()
    parser.load(_tokens(text), text)
    return parser.parse_script()


def parse_expression(text: str) -> exp.Expr:
    """One expression, of the nodes that `planner.sql.nodes` describes.

    Raises:
        ProgramError, UnsupportedError: as `parse_script`.
    """
    return _parsed(text, lambda parser: parser.parse_expression(), "the end of the expression")


def parse_type(text: str) -> TypeSpec:
    """One data type.

    Raises:
        ProgramError, UnsupportedError: as `parse_script`.
    """
    return _parsed(text, lambda parser: parser.parse_type(), "the end of the type")


@deeply
def _parsed(text: str, read: Callable[[Script], T], end: str) -> T:
    parser = _parser()
    parser.load(_tokens(text), text)
    found = read(parser)
    if not parser.at_end():
        parser.fail_expected(end)
    return found


def _parser() -> Script:
    parser = Flink().parser()
    return parser  # type: ignore[return-value]


def _tokens(text: str) -> list[Token]:
    unclosed = _unclosed(text)
    if unclosed is not None:
        raise unclosed
    try:
        return Flink().tokenize(text)
    except TokenError:
        # What is left to go wrong are digits: a binary literal with others than hexadecimal ones.
        bad = _BAD_BINARY.search(text)
        start, end = bad.span() if bad else (0, 1)
        raise ProgramError(
            "SQL parse failed: a binary literal holds hexadecimal digits only",
            where=render(span_at(text, start, end), text),
        ) from None


def _unclosed(text: str) -> ProgramError | None:
    """The error for a quote or a comment that is never closed (the tokenizer would point at the end), or None."""
    for match in _QUOTED.finditer(text):
        opening = match.group()
        if opening in _CLOSING:
            closing, what = _CLOSING[opening]
            return ProgramError(
                f"SQL parse failed: {what} is not closed",
                where=render(span_at(text, match.start(), match.end()), text),
                remedy=f"add the closing {closing}",
            )
    return None
