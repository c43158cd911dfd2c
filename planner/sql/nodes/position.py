"""Positions in a script: line, column, and the source line with a caret under the spot."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from compiled_plan.plans.text.visible import visible


@dataclass(frozen=True)
class Span:
    """A section of the script.

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
    """`line L, column C`, then the source line, then carets under the span (up to the end of the line)."""
    begin = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.start)
    source = text[begin : stop if stop >= 0 else len(text)].rstrip("\r")
    before, spanned = visible(source[: span.column - 1]), visible(source[span.column - 1 : span.end - begin])
    # Tabs stay in the padding so that the caret lines up for any tab width.
    padding = "".join("\t" if char == "\t" else " " for char in before)
    carets = "^" * max(1, len(spanned))
    return f"line {span.line}, column {span.column}\n    {visible(source)}\n    {padding}{carets}"
