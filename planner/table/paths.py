"""Names of catalog objects as text: `table`, `database.table`, "`my table`"."""

from __future__ import annotations

import re

from compiled_plan.plans.errors import ProgramError

_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.\s]+)")


def path_of(text: str, operation: str, kind: str = "table") -> tuple[str, ...]:
    """The one to three parts of a name; quoted parts may contain any character.

    Raises:
        ProgramError: not a name.
    """
    parts: list[str] = []
    at = 0
    while isinstance(text, str):
        match = _PART.match(text, at)
        if match is None:
            break
        parts.append(match[1].replace("``", "`") if match[1] else match[2])
        at = match.end()
        if at == len(text) and len(parts) <= 3:
            return tuple(parts)
        if text[at : at + 1] != ".":
            break
        at += 1
    raise ProgramError(
        f"{text!r} is no name of a {kind}",
        where=f"{operation}()",
        remedy=f"write {kind}, database.{kind} or catalog.database.{kind}; other characters in `backticks`",
    )
