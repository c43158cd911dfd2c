"""Text for terminals: counts of things, visible control characters.

Names and strings of a program may contain escape sequences, which could overwrite lines, change the window title, or
simulate keyboard input.
"""

from __future__ import annotations

import re

#: C0 without tab and newline, DEL, C1, line separators, bidirectional controls, and noncharacters, which XML refuses.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


def counted(number: int, word: str) -> str:
    """A count of things: `1 row`, `2 rows`, `2 batches`."""
    plural = "es" if word.endswith("ch") else "s"
    return f"{number} {word}{'' if number == 1 else plural}"


def visible(text: str) -> str:
    """A text with control characters escaped as `\\u001b`, which is valid in JSON and Python."""
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text)
