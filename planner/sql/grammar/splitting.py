"""Splitting of scripts into statements, for programs that run them one by one as they are typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.planner.sql.grammar.tokens import WORD, Token, read_tokens

_SET, _BEGIN_SET = ("STATEMENT", "SET", "BEGIN"), ("BEGIN", "STATEMENT", "SET")


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement in the text of a script.

    Args:
        text: the statement, after as many line breaks and blanks that its positions are those in the script.
        words: its words in capitals; empty if it has other tokens as well.
        complete: True if a semicolon ends it.
    """

    text: str
    words: tuple[str, ...]
    complete: bool


def split_script(text: str) -> list[Piece]:
    """The statements of a script, without empty ones; only the last one may be incomplete.

    A statement ends with a semicolon; a statement set with the one after its END. Text is not parsed.
    """
    tokens, unclosed = read_tokens(text)
    pieces = []
    for statement, complete in _statements(tokens):
        words = tuple(token.text.upper() for token in statement if token.kind == WORD)
        end = len(text) if unclosed is not None and not complete else statement[-1].end
        only_words = len(words) == len(statement) and (unclosed is None or complete)
        pieces.append(Piece(_placed(text, statement[0].start, end), words if only_words else (), complete))
    if unclosed is not None and (not tokens or tokens[-1].kind == ";"):
        begin = tokens[-1].end if tokens else 0
        begin += len(text[begin:]) - len(text[begin:].lstrip())
        pieces.append(Piece(_placed(text, begin, len(text)), (), False))
    return pieces


def _statements(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], bool]]:
    """The tokens of each statement without its last semicolon, and True if there is one."""
    start, in_set = 0, False
    for at, token in enumerate(tokens):
        if token.kind != ";":
            in_set = in_set or any(_are(tokens[max(start, at - 2) : at + 1], words) for words in (_SET, _BEGIN_SET))
            continue
        if in_set and not _ends_set(tokens[start:at]):
            continue
        if at > start:
            yield tokens[start:at], True
        start, in_set = at + 1, False
    if start < len(tokens):
        yield tokens[start:], False


def _are(tokens: Sequence[Token], words: Sequence[str]) -> bool:
    return [token.text.upper() for token in tokens if token.kind == WORD] == list(words)


def _ends_set(tokens: Sequence[Token]) -> bool:
    """True if the last token is the END of a set: behind a semicolon, or behind BEGIN."""
    if len(tokens) < 2 or not _are(tokens[-1:], ("END",)):
        return False
    return tokens[-2].kind == ";" or _are(tokens[-2:-1], ("BEGIN",))


def _placed(text: str, start: int, end: int) -> str:
    before = text[:start]
    return "\n" * before.count("\n") + " " * (start - before.rfind("\n") - 1) + text[start:end]
