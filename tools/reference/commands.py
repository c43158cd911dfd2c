"""Commands, from their typer declarations."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer

from compiled_plan.cli.common.terminal import ExitCode
from compiled_plan.commands.registry import COMMANDS as REGISTRY
from compiled_plan.commands.registry import UMBRELLA
from tools.reference.markdown import code, table

#: Name of each single command and its module.
COMMANDS: dict[str, str] = {name: f"compiled_plan.{entry.module}" for name, entry in REGISTRY.items() if entry.single}


def options(name: str) -> str:
    """The description of a command, its arguments and its own options."""
    command: Any = typer.main.get_command(import_module(COMMANDS[name]).app)
    return "\n\n".join(_parts(name, command))


def umbrella() -> str:
    """The sub-commands of `compiled-plan`."""
    rows = (
        (code(f"{UMBRELLA} {entry.word}"), code(name) if name in COMMANDS else "", entry.help)
        for name, entry in REGISTRY.items()
    )
    return table(("sub-command", "single command", ""), rows)


def shared() -> str:
    """The options of all commands."""
    command: Any = typer.main.get_command(import_module(COMMANDS["compile-plan"]).app)
    shared_options = [item for item in command.params if item.param_type_name == "option" and not item.expose_value]
    return table(("option", ""), ((_option(item), item.help or "") for item in shared_options))


def _parts(name: str, command: Any) -> Iterator[str]:
    """A command, or a group of commands with its description."""
    if not hasattr(command, "commands"):
        yield _options(name, command)
        return
    yield inspect.cleandoc(command.help)
    for part, subcommand in command.commands.items():
        yield from _parts(f"{name} {part}", subcommand)


def _options(name: str, command: Any) -> str:
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    usage = " ".join([name, *(item.metavar for item in arguments), "[OPTIONS]"])
    rows = [(code(item.metavar), item.help or "") for item in arguments]
    own = [item for item in command.params if item.param_type_name == "option" and item.expose_value]
    rows += [(_option(item), item.help or "") for item in own]
    return f"```text\n{usage}\n```\n\n{inspect.cleandoc(command.help)}\n\n{table(('option', ''), rows)}"


def _option(item: Any) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(item.opts, key=len))
    if item.is_flag:
        return names
    return f"{names} `{item.metavar or item.name.upper()}`"


def exit_codes() -> str:
    """The exit codes of all commands."""
    return table(("code", ""), ((str(int(item)), item.meaning) for item in ExitCode))
