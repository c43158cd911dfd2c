"""Names of tables and columns in databases."""

from __future__ import annotations

import re
from typing import NamedTuple

_PART = re.compile(
    r"\"(?P<double>[^\"\x00-\x1f]+)\"|`(?P<back>[^`\x00-\x1f]+)`|\[(?P<square>[^\[\]\x00-\x1f]+)\]"
    r"|(?P<bare>[^\"'`\[\]().,;\x00-\x1f]+)"
)
_PLAIN = re.compile(r"[\w$#]+")


class Part(NamedTuple):
    """A part of a name.

    Args:
        text: the part without quotes.
        is_plain: True if it needs no quotes: it was written without, and has letters and digits alone.
    """

    text: str
    is_plain: bool


def is_plain(name: str) -> bool:
    """Return True for a name that is one also without quotes."""
    return _PLAIN.fullmatch(name) is not None


def name_parts(name: str) -> tuple[Part, ...] | None:
    """The parts of a name such as `shop.orders` or `"shop"."Orders"`; None for another text, such as a query."""
    parts: list[Part] = []
    at = 0
    while (part := _PART.match(name, at)) is not None:
        text = part[part.lastgroup or 0]
        parts.append(Part(text, part.lastgroup == "bare" and is_plain(text)))
        if part.end() == len(name):
            return tuple(parts)
        if name[part.end()] != ".":
            return None
        at = part.end() + 1
    return None
