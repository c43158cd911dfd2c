"""`plan-shell`: an SQL shell."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli._run_options import SecretSources, set_default_secrets
from compiled_plan.cli.common.groups import with_groups
from compiled_plan.cli.common.terminal import (
    Debug,
    ExitCode,
    InitFiles,
    SessionOptions,
    SetOptions,
    SparkOptions,
    app_for,
    fail,
    run_app,
)
from compiled_plan.cli.shell.interrupts import Terminated, interrupt
from compiled_plan.commands.console import show_controls
from compiled_plan.commands.interrupts import Interrupted, handled_by
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files.paths import STDIN
from compiled_plan.results.formats import Format
from compiled_plan.running.errors import command_terms

if TYPE_CHECKING:
    from compiled_plan.cli.shell.shell import Shell
    from compiled_plan.compiling.scripts import Session

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
    scripts = [_Script("", text) for text in execute or ()] + [_Script(path) for path in file or ()]
    if not scripts and not (sys.stdin.isatty() and sys.stdout.isatty()):
        scripts = [_Script(STDIN)]
    _keep_stderr()
    opening = _Opening(session, form, checkpoint, cluster.master, settings, debug)
    try:
        with handled_by(interrupt), command_terms():
            if scripts:
                _run_scripts(opening, scripts)
            else:
                _converse(opening)
    except Terminated as end:
        raise Interrupted(end.number, reported=True) from None
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT, reported=True) from None


@dataclass(frozen=True, slots=True)
class _Script:
    """Statements to execute.

    Args:
        path: their file, for messages; empty for those of an option.
        given_text: those of an option.
    """

    path: str
    given_text: str | None = None

    def text(self) -> str:
        from compiled_plan.session.initializing import find_modules_in, text_of

        find_modules_in(Path.cwd() if self.path in ("", STDIN) else Path(self.path).resolve().parent)
        return text_of(self.path) if self.given_text is None else self.given_text


def _keep_stderr() -> None:
    """Give messages a descriptor of their own: while Spark starts in the background, that of stderr is silent."""
    with suppress(OSError):
        if sys.stderr.fileno() == _STDERR:
            descriptor = os.dup(_STDERR)
            sys.stderr = os.fdopen(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
            show_controls()


_STDERR = 2


@dataclass(frozen=True, slots=True)
class _Opening:
    """The start of a shell; the arguments are options of the command."""

    session: Session
    form: Format
    checkpoint: str
    master: str
    spark: Mapping[str, str]
    debug: bool

    @contextmanager
    def shell(self, *, starts_spark: bool) -> Iterator[Shell]:
        """The shell, with Spark that starts in the background."""
        from compiled_plan.cli.shell.results import Results
        from compiled_plan.cli.shell.shell import Shell
        from compiled_plan.environment import TableEnvironment
        from compiled_plan.running.embedded import session_started

        environment = TableEnvironment(self.session.settings, init=self.session.init)
        for key, value in self.session.settings.items():
            environment.set(key, value)
        with ExitStack() as closing:
            shell = Shell(environment, Results(environment.config, self.form, sys.stdout.isatty()))
            if starts_spark or self.checkpoint:
                shell.start_spark(
                    lambda: closing.enter_context(session_started(self.master, self.spark, verbose=self.debug))
                )
            try:
                yield shell
            finally:
                shell.close()

    @contextmanager
    def reporting(self, path: str = "", shell: Shell | None = None) -> Iterator[None]:
        """Print an error, and end with its exit code.

        Args:
            path: the file that it concerns, unless an init file is wrong.
            shell: the shell, whose options may ask for tracebacks.

        Raises:
            typer.Exit: there was an error.
        """
        try:
            yield
        except CompiledPlanError as fault:
            verbose = shell is not None and shell.environment.config.boolean("sql-client.verbose")
            fail(fault, self.session.concerned(fault, path), debug=self.debug or verbose)
            raise typer.Exit(ExitCode.FAILED) from None

    def add_state(self, shell: Shell) -> None:
        """Create the tables of the checkpoint's state."""
        if self.checkpoint:
            shell.work(lambda: shell.environment.create_state_database(_STATE, self.checkpoint))


#: The database of the tables of `--checkpoint`.
_STATE = "state"


def _run_scripts(opening: _Opening, scripts: Sequence[_Script]) -> None:
    """Execute scripts, and wait for their jobs.

    Raises:
        typer.Exit: one failed; its error is printed.
    """
    from compiled_plan.cli.shell.shell import Quit, needs_spark

    texts, starts = [], False
    for script in scripts:
        with opening.reporting(script.path):
            text = script.text()
            starts = needs_spark(text) or starts
            texts.append((script.path, text))
    with opening.reporting(), opening.shell(starts_spark=starts) as shell:
        opening.add_state(shell)
        try:
            for path, text in texts:
                with opening.reporting(path, shell):
                    shell.run(text)
        except Quit:
            return
        shell.wait_for_jobs()


def _converse(opening: _Opening) -> None:
    """Read statements from the terminal, and execute them."""
    from prompt_toolkit.shortcuts import clear

    from compiled_plan.cli.shell.prompt import converse, history_file, history_in, prompt_session

    with opening.reporting(), opening.shell(starts_spark=True) as shell:
        shell.clear = clear
        shell.warm_up()
        opening.add_state(shell)
        converse(shell, prompt_session(shell, history_in(history_file())), debug=opening.debug)


def main() -> None:
    """Entry point of `plan-shell`."""
    run_app(app)


if __name__ == "__main__":
    main()
