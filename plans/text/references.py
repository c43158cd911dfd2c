"""References to secrets in values of options: `${secret:NAME}`.

Programs, plans, checkpoints and messages keep a reference as it is; a run replaces it by the secret's value where a
connection is made. `$${secret:` stands for the text `${secret:`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,126}"
_REFERENCE = re.compile(rf"\$(?P<escape>\$)?\{{secret:(?:(?P<name>{_NAME})\}})?", re.ASCII)
NAME = re.compile(_NAME, re.ASCII)

#: The form of a name, for messages.
FORM = "a letter or underscore, then at most 126 letters, digits, `_`, `.` and `-`"


def reference(name: str) -> str:
    """The reference to a secret."""
    return f"${{secret:{name}}}"


def references(text: str) -> Iterator[re.Match[str]]:
    """The references in a value; the group `name` is None if a name is malformed."""
    return (match for match in _REFERENCE.finditer(text) if match["escape"] is None)


def names_in(values: Iterable[str]) -> tuple[str, ...]:
    """The names of the secrets to which values refer, once each, in their order."""
    return tuple(dict.fromkeys(match["name"] for value in values for match in references(value) if match["name"]))


def has_reference(text: str) -> bool:
    """Return True if a value refers to a secret, or tries to."""
    return any(True for _ in references(text))


def is_reference(text: str) -> bool:
    """Return True if a value is a single reference and nothing else."""
    match = _REFERENCE.fullmatch(text.strip())
    return match is not None and match["escape"] is None and match["name"] is not None


def malformed(text: str) -> str | None:
    """The first malformed reference of a value, up to its end; None if all are well formed."""
    for match in references(text):
        if match["name"] is None:
            end = text.find("}", match.end())
            return text[match.start() : len(text) if end < 0 else end + 1]
    return None


def replaced(text: str, value_of: Callable[[str], str]) -> str:
    """A value with its references replaced by the values of the secrets, and its escapes by what they stand for."""

    def value(match: re.Match[str]) -> str:
        if match["escape"] is not None:
            return match[0][1:]
        return value_of(match["name"]) if match["name"] is not None else match[0]

    return _REFERENCE.sub(value, text)
