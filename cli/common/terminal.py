"""Shared options, and output of lines and tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.commands.apps import app_for as app_for
from compiled_plan.commands.console import Debug as Debug
from compiled_plan.commands.console import ExitCode as ExitCode
from compiled_plan.commands.console import console as console
from compiled_plan.commands.console import fail as fail
from compiled_plan.commands.console import run_app as run_app
from compiled_plan.commands.console import status as status
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reading

if TYPE_CHECKING:
    from compiled_plan.compiling.scripts import Session
    from compiled_plan.plans.inspection.diff.text import Line

#: Options of several commands.
SetOptions = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a session option, like SET in a program; repeatable."),
]
InitFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--init",
        "-i",
        metavar="INIT.sql",
        help="SQL file that prepares the session, such as shared CREATE TABLEs; repeatable.",
    ),
]
Conf = Annotated[list[str] | None, typer.Option(metavar="K=V", help="Spark setting; repeatable.")]


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """The Spark session of a command."""

    master: Annotated[str, typer.Option(metavar="URL", help="Spark master; local[*] by default.")] = ""
    conf: Conf = None
    conf_file: Annotated[
        str, typer.Option(metavar="FILE", help="Spark settings, one `key=value` per line, hidden from process lists.")
    ] = ""

    def settings(self) -> dict[str, str]:
        """Spark settings: `--conf` overrides `--conf-file`.

        Raises:
            typer.BadParameter: a setting of `--conf` is not NAME=VALUE.
            ProgramError: the file does not exist, or is not a settings file.
        """
        settings: dict[str, str] = {}
        if self.conf_file:
            from compiled_plan.plans.text.properties import read_properties

            with reading(self.conf_file, "settings file", ProgramError):
                settings = read_properties(Path(self.conf_file).read_text(encoding="utf-8"), quoted(self.conf_file))
        return settings | _pairs("--conf", self.conf or ())


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The initial session of a program: its options, and the files of `--init`."""

    set_: SetOptions = None
    init: InitFiles = None

    def session(self) -> Session:
        """The session.

        Raises:
            typer.BadParameter: a setting is not NAME=VALUE, or an init file is not SQL.
        """
        return session_of(session_settings(self.set_ or ()), self.init)


def session_settings(pairs: Iterable[str]) -> dict[str, str]:
    """Session options from `--set`.

    Raises:
        typer.BadParameter: a setting is not NAME=VALUE.
    """
    return {name: value.strip() for name, value in _pairs("--set", pairs).items()}


def session_of(settings: Mapping[str, str], init: Sequence[str] | None) -> Session:
    """The initial session of a program: its options, and the files of `--init`.

    Raises:
        typer.BadParameter: an init file is not SQL.
    """
    from compiled_plan.compiling.scripts import PYTHON, STDIN, Session

    for file in init or ():
        if file == STDIN or file.endswith(PYTHON):
            raise typer.BadParameter(f"--init takes a file of SQL, not {file!r}")
    return Session(settings, tuple(init or ()))


def _pairs(option: str, pairs: Iterable[str]) -> dict[str, str]:
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{option} {pair}: write NAME=VALUE")
        settings[name.strip()] = value
    return settings


def say(text: str) -> None:
    """Print a message beside the command's output."""
    typer.echo(text, err=True)


def print_lines(lines: Iterable[Line], *, stderr: bool = True) -> None:
    """Print lines, in colour on a terminal or with FORCE_COLOR."""
    stream = sys.stderr if stderr else sys.stdout
    if not stream.isatty() and not os.environ.get("FORCE_COLOR"):
        # Importing rich takes longer than all the rest of the output.
        stream.writelines(f"{line.text}\n" for line in lines)
        return
    for line in lines:
        console(stderr=stderr).print(line.text, style=line.style or None)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table to stdout: ruled on a terminal; in a pipe plain, one line per row, not cut or wrapped."""
    from compiled_plan.cli.common.tables import print_table as print_in_rich

    print_in_rich(columns, rows)
