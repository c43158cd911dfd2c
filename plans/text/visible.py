"""Texts for people: numbers of things, and control characters that are shown, not carried out.

A name or a string of a program may have escape sequences, which would write over lines, change the title of a window,
or answer as if a person had typed.
"""

from __future__ import annotations

import re

#: All but tab and newline of C0, DEL, C1, line separators, and what turns the direction of a text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def counted(number: int, word: str) -> str:
    """A number of things: `1 row`, `2 rows`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def visible(text: str) -> str:
    """A text with control characters as `\\u001b`, which JSON and Python read alike."""
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text)
