"""Constraints on external texts, and truncation of messages."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

#: A text without NUL, which databases cannot store.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
#: An argument of a command that cannot be parsed as an option.
Argument = Annotated[str, StringConstraints(pattern=r"^([^-\x00][^\x00]*)?$")]
#: The maximum length of a message.
_LONGEST = 4_000


def cut(text: str) -> str:
    """Truncate a long message, before it is masked, since masking takes time in proportion to the length.

    The cut is at the end of a word: masking would not recognize a part of a secret.
    """
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST].rpartition(' ')[0]} ... ({len(text)} characters)"
