"""Flink SQL text to statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.errors import TokenError

from planner.sql.dialect import Flink
from planner.sql.position import render, span_at
from plans.errors import ProgramError

if TYPE_CHECKING:
    from sqlglot import Token

    from planner.sql.grammar.script import Script
    from planner.sql.statements import Statement


def parse_script(text: str) -> list[Statement]:
    """The statements of a script, in order.

    Args:
        text: statements with semicolons between them; the last one needs none.

    Raises:
        ProgramError: the text is no Flink SQL; it names line and column and shows the source line with a caret.
    """
    parser = _parser()
    parser.load(_tokens(text), text)
    return parser.parse_script()


def _parser() -> Script:
    parser = Flink().parser()
    return parser  # type: ignore[return-value]


def _tokens(text: str) -> list[Token]:
    try:
        tokens = Flink().tokenize(text)
    except TokenError as error:
        raise _unterminated(text, error) from None
    _refuse_open_comment(text, tokens)
    return tokens


def _unterminated(text: str, error: TokenError) -> ProgramError:
    """The error for a quote that is never closed: the tokenizer stops at the end, so the opening one is searched."""
    start = _opening_quote(text)
    quote = text[start] if start < len(text) else "'"
    what = "an identifier in backticks" if quote == "`" else "a string"
    return ProgramError(
        f"SQL parse failed: {what} is not closed",
        where=render(span_at(text, start, start + 1), text),
        remedy=f"add the closing {quote}; inside, double it",
    )


def _opening_quote(text: str) -> int:
    """Offset of the quote that is never closed, comments passed over."""
    index = 0
    while index < len(text):
        char = text[index]
        if text.startswith(("--", "//"), index):
            index = text.find("\n", index)
            if index < 0:
                break
        elif text.startswith("/*", index) and not text.startswith("/*+", index):
            index = text.find("*/", index) + 1
            if index <= 0:
                break
        elif char in "'`":
            close = text.find(char, index + 1)
            if close < 0:
                return index
            index = close
        index += 1
    return max(0, len(text.rstrip()) - 1)


def _refuse_open_comment(text: str, tokens: list[Token]) -> None:
    rest = tokens[-1].end + 1 if tokens else 0
    start = text.find("/*", rest)
    if start < 0 or text.find("*/", start + 2) >= 0:
        return
    line = text.rfind("\n", 0, start) + 1
    if "--" in text[max(line, rest) : start]:
        return
    raise ProgramError(
        "SQL parse failed: a comment is not closed",
        where=render(span_at(text, start, start + 2), text),
        remedy="add the closing */",
    )
