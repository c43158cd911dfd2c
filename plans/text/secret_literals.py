"""Positions of secrets in a program: a lexer separates literals after sensitive names from comments and other text.

SQL: the values of options (`'password' = 'x'` of WITH, SET, hints). Python: keyword arguments, assignments, dict
entries, pairs of arguments (`option("password", "x")`), variables that are used as such values, and SQL in strings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from enum import Enum, auto

from compiled_plan.plans.text.secret_keys import is_sensitive
from compiled_plan.plans.text.secret_spans import Span, may_have_secrets, secret_spans, url_spans

_REST = r"""|(?P<name>\w++)|(?P<blank>[\s\\]++)|(?P<mark>(?P<same>[^\w\s\\])(?P=same)*+)"""
_SQL = re.compile(
    r"""(?P<comment>--[^\n]*+|/\*(?!\+)(?:[^*]|\*(?!/))*+(?:\*/)?+)"""
    r"""|(?P<string>'(?:[^']|'')*+'|"(?:[^"]|"")*+"|['"][^\n]*+)""" + _REST
)
_PYTHON = re.compile(
    r"""(?P<comment>\#[^\n]*+)"""
    r"""|(?P<string>[bfruBFRU]{0,2}(?:"{3}(?:[^"\\]|\\.|"(?!""))*+"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*+'{3}"""
    r"""|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|['"][^\n]*+)""" + _REST,
    re.DOTALL,
)
#: A Python program has an import or a definition.
_IS_PYTHON = re.compile(
    r"^[ \t]*+(?:from[ \t]++[\w.]++[ \t]++import\b|import[ \t]++\w|def[ \t]++\w++[ \t]*+\(|class[ \t]++\w)",
    re.MULTILINE,
)
_OPEN = re.compile(r"""(?P<prefix>[bfruBFRU]{0,2})(?P<quote>"{3}(?=.*"{3}\Z)|'{3}(?=.*'{3}\Z)|"|')""", re.DOTALL)
_EQUAL = frozenset({"=", ":"})
#: Prefix of an SQL literal: `U&'...'`, `_UTF8'...'`.
_CHARSET = re.compile(r"[uU&]|_\w+")


def literal_spans(text: str) -> Iterator[Span]:
    """Positions of secrets in the literals and comments of a program; they may overlap."""
    if not may_have_secrets(text):
        return
    if _IS_PYTHON.search(text) is None:
        yield from _Reader(text, _SQL).spans()
        return
    names: set[str] = set()
    while True:
        reader = _Reader(text, _PYTHON, names)
        spans = list(reader.spans())
        if reader.holders <= names:
            yield from spans
            return
        names |= reader.holders


class _At(Enum):
    """Lexer states that matter for secrets."""

    ELSEWHERE = auto()
    AFTER_KEY = auto()
    AFTER_SIGN = auto()
    ANNOTATION = auto()
    IN_VALUE = auto()


class _Reader:
    """Single pass over the tokens of a program; `names` are variables that hold secrets."""

    def __init__(self, text: str, lexer: re.Pattern[str], names: Collection[str] = ()) -> None:
        self._text, self._lexer, self._names = text, lexer, names
        self._python = lexer is _PYTHON
        self._at, self._secret, self._named, self._before, self._in_pair = _At.ELSEWHERE, False, False, "", False
        #: Variables that are assigned to a sensitive name, so that their values are secret.
        self.holders: set[str] = set()

    def spans(self) -> Iterator[Span]:
        for token in self._lexer.finditer(self._text):
            kind, text = token.lastgroup, token[0]
            if kind == "comment":
                yield from _shifted(secret_spans(text), token.start())
            elif kind == "string":
                yield from self._string(text, token.start())
            elif kind == "name":
                self._name(text)
            elif kind != "blank":
                self._mark(text)

    def _string(self, text: str, start: int) -> Iterator[Span]:
        begin, end = _content(text)
        content = text[begin:end]
        if self._at in (_At.AFTER_SIGN, _At.IN_VALUE) and self._secret:
            if content:
                yield start + begin, start + end
            self._at = _At.IN_VALUE
            return
        is_value = self._at is _At.AFTER_SIGN
        start += begin
        whole = "\n" not in content
        spans = secret_spans(content, whole) if self._python or is_value else url_spans(content, whole)
        yield from _shifted(spans, start)
        if self._python and ("'" in content or '"' in content):
            yield from _shifted(_Reader(content, _SQL).spans(), start)
        self._key(is_sensitive(content), named=False)

    def _name(self, text: str) -> None:
        if self._at in (_At.AFTER_SIGN, _At.IN_VALUE) and self._secret:
            if not self._python:
                return None if _CHARSET.fullmatch(text) else self._leave()
            if self._named:
                self._at = _At.ANNOTATION
            else:
                self._at = _At.IN_VALUE
                self.holders.add(text)
            return None
        if self._at is not _At.ANNOTATION:
            self._key(self._python and (is_sensitive(text) or text in self._names), named=True)
        return None

    def _mark(self, text: str) -> None:
        match self._at:
            case _At.AFTER_KEY if text in _EQUAL or (text == "," and self._in_pair and not self._named):
                self._at, self._named = _At.AFTER_SIGN, self._named and text == ":"
            case _At.AFTER_KEY if text in ("]", ")") and not self._named:
                pass
            case _At.AFTER_SIGN if text in ("(", "&", "=", ">"):
                # The second token of `:=` and `=>`.
                self._named = False
            case _At.ANNOTATION if text == "=":
                self._at, self._named = _At.AFTER_SIGN, False
            case _At.ANNOTATION if text in ("[", "]", "|", "."):
                pass
            case _At.IN_VALUE if text in ("+", "||"):
                pass
            case _:
                self._leave()
        self._before = text

    def _key(self, secret: bool, named: bool) -> None:
        self._in_pair = self._before[-1:] in ("(", "[")
        self._at, self._secret, self._named, self._before = _At.AFTER_KEY, secret, named, ""

    def _leave(self) -> None:
        self._at = _At.ELSEWHERE


def _content(text: str) -> Span:
    """The text between the quotes of a literal; a backslash before the closing one belongs to an enclosing literal."""
    opened = _OPEN.match(text)
    assert opened is not None
    begin, quote = opened.end(), opened["quote"]
    end = len(text) - len(quote) if text.endswith(quote) and len(text) > begin else len(text)
    return begin, max(begin, len(text[:end].rstrip("\\")) if quote in ("'", '"') else end)


def _shifted(spans: Iterable[Span], by: int) -> Iterator[Span]:
    return ((start + by, end + by) for start, end in spans)
