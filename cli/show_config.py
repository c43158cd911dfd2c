"""`compiled-plan config`: show the config file of the working folder, and trust it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail
from compiled_plan.commands.config import NAME, ConfigFile, nearest_file
from compiled_plan.commands.registry import COMMANDS
from compiled_plan.commands.trust import is_trusted, trust
from compiled_plan.plans.errors import CompiledPlanError

app = app_for("show-config")


@app.command()
def show(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Config file; by default the one in force here.")] = "",
    agreed: Annotated[
        bool, typer.Option("--trust", help="Agree to the content of the file; a change of it requires that again.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Show the config file of the working folder, its defaults with their lines, and whether it is trusted.

    A file can run code, so commands refuse it until --trust. Secrets are hidden.

    Exit codes: 0 shown, or there is no config file; 1 the config file is not valid; 2 wrong usage.
    """
    try:
        path = Path(file) if file else nearest_file()
        if path is None:
            typer.echo(f"no {NAME} in {Path.cwd()} or above", err=True)
            return
        config = ConfigFile(path)
        _check(config)
        if agreed:
            trust(config.path, config.text)
        state = "trusted" if is_trusted(config.path, config.text) else "not trusted; --trust agrees to this content"
        typer.echo(f"{config.path}: {state}", err=True)
        sys.stdout.writelines(f"{line}\n" for line in config.lines())
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None


def _check(config: ConfigFile) -> None:
    """Raise ProgramError for an option that a command does not have, or with a value of another type."""
    for name, entry in COMMANDS.items():
        if entry.configurable:
            config.defaults(name, import_module(f"compiled_plan.{entry.module}").app.options.values())
