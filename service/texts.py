"""Texts that come from outside: what a database can keep, what a command can be given."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

#: Databases keep no NUL in texts.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
#: What is an argument of a command: nothing that would be read as an option of it.
Argument = Annotated[str, StringConstraints(pattern=r"^([^-\x00][^\x00]*)?$")]
