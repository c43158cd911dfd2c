"""Parameters of JDBC URLs, tokenized as drivers do; the check of URLs and the masking of secrets share the tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

_PARTS = {mark: re.compile(rf"[^{mark}]++") for mark in ("&", ";")}
#: A parameter whose value may be in braces, and then contain the separator.
_IN_BRACES = re.compile(r"[^;={}]*+=\{[^}]*+\}[^;]*+|[^;]++")


class Parameter(NamedTuple):
    """A parameter: its name in lower case, its value, and the position of the value in the text."""

    name: str
    value: str
    span: tuple[int, int]


def parameters(
    text: str, mark: str, start: int = 0, end: int | None = None, *, braces: bool = False
) -> Iterator[Parameter]:
    """The parameters between two positions.

    Args:
        text: the text of a URL.
        mark: the separator, `&` or `;`.
        start: the position after the sign that begins the parameters.
        end: the end of the URL; by default of the text.
        braces: True if values may be in braces.
    """
    pattern = _IN_BRACES if braces else _PARTS[mark]
    for part in pattern.finditer(text, start, len(text) if end is None else end):
        name, equals, value = part[0].partition("=")
        if name.strip():
            begin = part.end() - len(value.lstrip()) if equals else part.end()
            yield Parameter(unquote(name).strip().lower(), unquote(value).strip(), (begin, part.end()))
