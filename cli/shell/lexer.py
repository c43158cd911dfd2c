"""Highlighting of SQL with the tokens of the parser."""

from __future__ import annotations

from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

from compiled_plan.planner.sql.grammar import tokens as t
from compiled_plan.planner.sql.grammar.reserved_words import RESERVED

_KINDS = {
    t.NUMBER: Number,
    t.QUOTED: Name.Quoted,
    t.STRING: String,
    t.PREFIXED: String,
    t.UNICODE: String,
    t.BINARY: String,
}


class SqlLexer(Lexer):  # type: ignore[misc]
    """Lexer of Flink SQL for pygments."""

    name = "Flink SQL of compiled plans"
    aliases = ("compiled-plan-sql",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
        """The tokens with their offsets, and the text between them."""
        end = 0
        for token in t.read_tokens(text)[0]:
            yield from _between(text, end, token.start)
            yield token.start, _kind(token), text[token.start : token.end]
            end = token.end
        rest = text[end:]
        if rest:
            yield end, String if rest.lstrip().startswith("'") else Comment if rest.strip() else Text, rest


def _between(text: str, start: int, end: int) -> Iterator[tuple[int, object, str]]:
    if start < end:
        yield start, Comment if text[start:end].strip() else Text, text[start:end]


def _kind(token: t.Token) -> object:
    if token.kind == t.WORD:
        return Keyword if token.text.upper() in RESERVED else Name
    return _KINDS.get(token.kind, Operator)
