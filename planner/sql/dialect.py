"""Flink SQL as a sqlglot dialect: its tokens, and the grammar of `planner.sql.grammar` as its parser."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import Tokenizer, TokenType
from sqlglot.dialects.dialect import Dialect

from compiled_plan.planner.sql.grammar.script import Script

_CHARSETS = ("_UTF-16LE", "_UTF-16", "_UTF16", "_UTF-8", "_UTF8", "_ISO-8859-1", "_LATIN1")


class FlinkTokenizer(Tokenizer):
    """Tokens of Flink SQL.

    Words are all `VAR`: no keyword is known here, the grammar reads them by their place. The signs of a hint are
    tokens, so that its content is tokens too and has positions.
    """

    IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`"]
    QUOTES: ClassVar[list[tuple[str, str] | str]] = ["'"]
    STRING_ESCAPES: ClassVar[list[str]] = ["'"]
    HEX_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("x'", "'"), ("X'", "'")]
    UNICODE_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("U&'", "'"), ("u&'", "'")]
    BYTE_STRINGS: ClassVar[list[str | tuple[str, str]]] = [
        (f"{charset}'", "'") for name in _CHARSETS for charset in (name, name.lower())
    ]
    BYTE_STRING_ESCAPES: ClassVar[list[str]] = ["'"]
    COMMENTS: ClassVar[list[str | tuple[str, str]]] = ["--", "//", ("/*", "*/")]
    NESTED_COMMENTS = False
    HINT_START = ""
    COMMANDS: ClassVar[set[TokenType]] = set()
    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        "/*+": TokenType.HINT,
        "*/": TokenType.BLOCK_END,
        "||": TokenType.DPIPE,
        ">=": TokenType.GTE,
        "<=": TokenType.LTE,
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "=>": TokenType.FARROW,
    }


class Flink(Dialect):
    """The dialect. Scripts are parsed by `planner.sql.parse.parse_script`."""

    Tokenizer = FlinkTokenizer
    Parser = Script
