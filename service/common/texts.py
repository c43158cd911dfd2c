"""Texts that come from outside: what a database can keep, what a command can be given."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

#: Databases keep no NUL in texts.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
#: What is an argument of a command: nothing that would be read as an option of it.
Argument = Annotated[str, StringConstraints(pattern=r"^([^-\x00][^\x00]*)?$")]
#: Characters of a message at most.
_LONGEST = 4_000


def cut(text: str) -> str:
    """A message, cut where it is long: before it is masked, since that takes its time.

    It ends behind the last word that is whole: a part of a secret would not be known as one.
    """
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST].rpartition(' ')[0]} ... ({len(text)} characters)"
