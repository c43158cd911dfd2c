"""What the session of a program begins with, as options say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from compiled_plan.api.scripts import PYTHON, STDIN, Session


def session_of(settings: Mapping[str, str], init: Sequence[str] | None) -> Session:
    """What a session begins with.

    Raises:
        typer.BadParameter: an init file that holds no SQL.
    """
    for file in init or ():
        if file == STDIN or file.endswith(PYTHON):
            raise typer.BadParameter(f"--init takes a file of SQL, not {file!r}")
    return Session(settings, tuple(init or ()))
