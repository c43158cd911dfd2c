"""`compiled-plan`: all commands as sub-commands of one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from compiled_plan.cli.common.terminal import app_for, run_app
from compiled_plan.commands.registry import COMMANDS, UMBRELLA, Entry


class _Commands(Mapping[str, object]):
    """The sub-commands, each imported when it is needed."""

    entries: Mapping[str, Entry] = {entry.word: entry for entry in COMMANDS.values()}

    def __getitem__(self, word: str) -> object:
        return typer.main.get_command(import_module(f"compiled_plan.{self.entries[word].module}").app)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


#: The sub-commands by their names.
commands = _Commands()


class _Group(TyperGroup):
    """A group that imports a sub-command only to call or complete it."""

    def __init__(self, **declared: Any) -> None:
        super().__init__(**declared)
        self.commands: Any = commands

    def list_commands(self, ctx: object) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: object, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(word, entry.help) for word, entry in commands.entries.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        # The warm process repeats the command line of the single command.
        sys.argv[1:] = rest
        return name, command, rest


app = app_for(UMBRELLA)


@app.callback(cls=_Group, no_args_is_help=True)
def compiled_plan() -> None:
    """Compile table programs to plans, edit and compare plans, and run them on Spark."""


def main() -> None:
    """Entry point of `compiled-plan`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
