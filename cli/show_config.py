"""`compiled-plan config`: show the config file in force."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from compiled_plan.cli.common.terminal import Debug, ExitCode, app_for, fail
from compiled_plan.plans.errors import CompiledPlanError

app = app_for("show-config")


@app.command()
def show(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Config file; by default the one in force here.")] = "",
    debug: Debug = False,
) -> None:
    """Show the config file in force, and its defaults with their lines. Secrets are hidden.

    Exit codes: 0 shown, or there is no config file; 1 the config file is not valid; 2 wrong usage.
    """
    try:
        from compiled_plan.api.config_file import NAME, ConfigFile, searched_file

        config = ConfigFile(Path(file)) if file else searched_file()
        if config is None:
            typer.echo(f"no {NAME} in {Path.cwd()} or above", err=True)
            return
        typer.echo(str(config.path), err=True)
        sys.stdout.writelines(f"{line}\n" for line in config.lines())
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None
