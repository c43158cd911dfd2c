"""Positions in a text: line, column, and the source line with carets under the spot."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from compiled_plan.plans.text.visible import visible


@dataclass(frozen=True)
class Span:
    """A section of a text.

    Attributes:
        start: offset of the first character.
        end: offset one past the last character.
        line: line of the first character, from 1.
        column: column of the first character, from 1.
    """

    start: int
    end: int
    line: int
    column: int


def span_at(text: str, start: int, end: int) -> Span:
    """The span from `start` to `end`, with line and column computed."""
    breaks = _line_breaks(text)
    line = bisect_left(breaks, start)
    return Span(start, end, line + 1, start - (breaks[line - 1] if line else -1))


@lru_cache(maxsize=4)
def _line_breaks(text: str) -> tuple[int, ...]:
    return tuple(line_break.start() for line_break in re.finditer("\n", text))


def render(span: Span, text: str) -> str:
    """`line L, column C`, then the excerpt."""
    return f"line {span.line}, column {span.column}\n{excerpt(span, text)}"


def excerpt(span: Span, text: str) -> str:
    """The source line, then carets under the span, up to the end of the line; of a long line, the part around them."""
    begin = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.start)
    stop = stop if stop >= 0 else len(text)
    first, last = max(begin, span.start - _BESIDE), min(stop, span.start + _BESIDE)
    before, spanned = visible(text[first : span.start]), visible(text[span.start : min(span.end, last)].rstrip("\r"))
    source = f"{before}{visible(text[span.start : last])}".rstrip("\r")
    if first > begin:
        before, source = f"... {before}", f"... {source}"
    # Tabs stay in the padding so that the caret lines up for any tab width.
    padding = "".join("\t" if char == "\t" else " " for char in before)
    carets = "^" * max(1, len(spanned))
    return f"    {source}{' ...' if last < stop else ''}\n    {padding}{carets}"


#: Characters of a line that are shown on each side of a position.
_BESIDE = 200


def place_in(source: str, span: Span) -> str:
    """The position for editors and terminals, `FILE:LINE:COLUMN`; `source` is a quoted path, or names another text."""
    if source.startswith("'"):
        return f"{source[1:-1]}:{span.line}:{span.column}"
    place = f"line {span.line}, column {span.column}"
    return f"{source}, {place}" if source else place
