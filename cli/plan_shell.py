"""`plan-shell`: an SQL shell."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.run_options import SecretSources, set_default_secrets
from compiled_plan.cli.common.terminal import (
    Debug,
    InitFiles,
    SessionOptions,
    SetOptions,
    SparkOptions,
    app_for,
    run_app,
)
from compiled_plan.cli.shell.interrupts import Terminated, interrupt
from compiled_plan.commands.console import show_controls
from compiled_plan.commands.interrupts import Interrupted, handled_by
from compiled_plan.plans.files.paths import STDIN
from compiled_plan.results.formats import Format
from compiled_plan.running.errors import command_terms

if TYPE_CHECKING:
    pass

app = app_for("plan-shell")


@app.command()
@with_groups
def shell(
    execute: Annotated[
        list[str] | None,
        typer.Option("--execute", "-e", metavar="SQL", help="Execute statements, then end; repeatable."),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file", "-f", metavar="SCRIPT.sql", help="Execute a file, then end; - reads stdin; repeatable, after -e."
        ),
    ] = None,
    init: InitFiles = None,
    options: SetOptions = None,
    form: Annotated[
        Format, typer.Option("--format", metavar="table|json|csv|markdown", help="Format of rows.")
    ] = Format.TABLE,
    checkpoint: Annotated[
        str,
        typer.Option(metavar="DIR", help="Checkpoint whose state is in the database state, a table per operator."),
    ] = "",
    *,
    cluster: SparkOptions,
    secrets: SecretSources = None,
    debug: Debug = False,
) -> None:
    """Execute SQL statements, at a prompt or from options, files and pipes.

    Rows go to stdout, all else to stderr. SELECT shows its rows as they arrive, until its LIMIT, its end or Ctrl-C.
    With sql-client.execution.result-mode = table, the default, rows are the table that the query has so far: updated
    in place on a terminal; elsewhere printed as they arrive if none is ever updated, otherwise at the end. The modes
    changelog and tableau print every change with its kind. INSERTs run in the background; SHOW JOBS lists them.
    HELP lists the statements.

    With -e, -f or a pipe, a syntax error anywhere ends the shell before the first statement, and any error ends it; at
    the end it waits for the INSERTs. Exit codes: 0 done, 1 a statement or a job failed, 2 wrong usage, 129, 130
    and 143 stopped by SIGHUP, SIGINT and SIGTERM.
    """
    set_default_secrets(secrets)
    settings, session = cluster.settings(), SessionOptions(options, init).session()
    from compiled_plan.cli.shell.opening import Opening, Script, converse_with, run_scripts

    scripts = [Script("", text) for text in execute or ()] + [Script(path) for path in file or ()]
    if not scripts and not (sys.stdin.isatty() and sys.stdout.isatty()):
        scripts = [Script(STDIN)]
    _keep_stderr()
    opening = Opening(session, form, checkpoint, cluster.master, settings, debug)
    try:
        with handled_by(interrupt), command_terms():
            if scripts:
                run_scripts(opening, scripts)
            else:
                converse_with(opening)
    except Terminated as end:
        raise Interrupted(end.number, reported=True) from None
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT, reported=True) from None


def _keep_stderr() -> None:
    """Give messages a descriptor of their own: while Spark starts in the background, that of stderr is silent."""
    with suppress(OSError):
        if sys.stderr.fileno() == _STDERR:
            descriptor = os.dup(_STDERR)
            sys.stderr = os.fdopen(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
            show_controls()


_STDERR = 2


def main() -> None:
    """Entry point of `plan-shell`: errors become exit codes."""
    run_app(app)


if __name__ == "__main__":
    main()
