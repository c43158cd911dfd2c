"""Tokens of Flink SQL.

The tokenizer knows no keywords: every word is a `WORD`, which the grammar reads by context. The kind of a symbol is the
symbol itself: that of `<>` is "<>". The delimiters of a hint are symbols, so its content has tokens with positions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.jsontext import MOST_DIGITS
from compiled_plan.plans.text.position import render, span_at

WORD, QUOTED, NUMBER, END = "WORD", "QUOTED", "NUMBER", ""
#: Character strings: plain, with the prefix of a character set or N, and U&'...', whose escapes the grammar resolves.
STRING, PREFIXED, UNICODE = "STRING", "PREFIXED", "UNICODE"
STRINGS = frozenset((STRING, PREFIXED, UNICODE))
BINARY = "BINARY"


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: one of the kinds above, or the symbol itself.
        text: as written; the content of strings and quoted names.
        start: offset of the first character in the script.
        end: offset one past the last character.
    """

    kind: str
    text: str
    start: int
    end: int


_CHARSETS = ("_UTF-16LE", "_UTF-16", "_UTF16", "_UTF-8", "_UTF8", "_ISO-8859-1", "_LATIN1")
_SYMBOLS = r"/\*\+|\*/|\|\||>=|<=|<>|!=|=>"
_SINGLE = r"""()\[\]{}&^:,.\-=><%!|+;/\\*~?@#"'`"""
_TOKEN = re.compile(
    rf"""
      (?P<gap> \s+ | (?:--|//)[^\r\n]* | /\*(?!\+)(?s:.*?)\*/ )
    | (?P<STRING> '[^']*(?:''[^']*)*' )
    | (?P<QUOTED> `[^`]*(?:``[^`]*)*` )
    | (?P<BINARY> [xX]'[^']*(?:''[^']*)*' )
    | (?P<UNICODE> [uU]&'[^']*(?:''[^']*)*' )
    | (?P<PREFIXED> (?:[nN]|{"|".join(name for charset in _CHARSETS for name in (charset, charset.lower()))})
        '[^']*(?:''[^']*)*' )
    | (?P<NUMBER> [0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)? )
    | (?P<WORD> [^\s{_SINGLE}]+ )
    | (?P<unclosed> /\*(?!\+) | [`'] )
    | (?P<symbol> {_SYMBOLS} | . )
    """,
    re.VERBOSE,
)
_CLOSING = {"'": ("'", "a string"), "`": ("`", "an identifier in backticks"), "/*": ("*/", "a comment")}
_HEXADECIMAL = re.compile("[0-9A-Fa-f]*")


def tokenize(text: str) -> list[Token]:
    """The tokens of a script, followed by one of kind `END`.

    Raises:
        ProgramError: a string, quoted name or comment is not closed; a binary literal has a digit that is not
            hexadecimal; a number has too many digits.
    """
    tokens, unclosed = read_tokens(text)
    if unclosed is not None:
        raise unclosed
    long = next((token for token in tokens if token.kind == NUMBER and len(token.text) > MOST_DIGITS), None)
    if long is not None:
        raise ProgramError(
            f"SQL parse failed: a number of {len(long.text)} digits",
            where=render(span_at(text, long.start, long.start + 1), text),
            remedy="no type holds more than 38 digits",
        )
    bad = next((token for token in tokens if token.kind == BINARY and not _HEXADECIMAL.fullmatch(token.text)), None)
    if bad is not None:
        raise ProgramError(
            "SQL parse failed: a binary literal holds hexadecimal digits only",
            where=render(span_at(text, bad.start, bad.end), text),
        )
    tokens.append(Token(END, "", len(text), len(text)))
    return tokens


def read_tokens(text: str) -> tuple[list[Token], ProgramError | None]:
    """The tokens of a text, and the error of a string, quoted name or comment that is not closed, where they end."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, content, (start, end) = str(match.lastgroup), match.group(), match.span()
        match kind:
            case "gap":
                continue
            case "unclosed":
                return tokens, _unclosed(text, start, content)
            case "symbol":
                kind = content
            case "QUOTED":
                content = content[1:-1].replace("``", "`")
            case "STRING" | "PREFIXED" | "UNICODE" | "BINARY":
                content = content[content.index("'") + 1 : -1].replace("''", "'")
        tokens.append(Token(kind, content, start, end))
    return tokens, None


def _unclosed(text: str, start: int, opening: str) -> ProgramError:
    closing, kind = _CLOSING[opening]
    return ProgramError(
        f"SQL parse failed: {kind} is not closed",
        where=render(span_at(text, start, start + len(opening)), text),
        remedy=f"add the closing {closing}",
    )
