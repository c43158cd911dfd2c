"""The start of a shell: its scripts, or its prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from prompt_toolkit.shortcuts import clear

from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.cli.shell.results import Results
from compiled_plan.cli.shell.shell import Quit, Shell, needs_spark
from compiled_plan.compiling.scripts import Session
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files.paths import STDIN
from compiled_plan.results.formats import Format
from compiled_plan.running.embedded import session_started
from compiled_plan.session.initializing import find_modules_in, text_of


@dataclass(frozen=True, slots=True)
class Script:
    """Statements to execute.

    Args:
        path: their file, for messages; empty for those of an option.
        given_text: those of an option.
    """

    path: str
    given_text: str | None = None

    def text(self) -> str:
        find_modules_in(Path.cwd() if self.path in ("", STDIN) else Path(self.path).resolve().parent)
        return text_of(self.path) if self.given_text is None else self.given_text


@dataclass(frozen=True, slots=True)
class Opening:
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


def run_scripts(opening: Opening, scripts: Sequence[Script]) -> None:
    """Execute scripts, and wait for their jobs.

    Raises:
        typer.Exit: one failed; its error is printed.
    """
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


def converse_with(opening: Opening) -> None:
    """Read statements from the terminal, and execute them."""
    from compiled_plan.cli.shell.prompt import converse, history_file, history_in, prompt_session

    with opening.reporting(), opening.shell(starts_spark=True) as shell:
        shell.clear = clear
        shell.warm_up()
        opening.add_state(shell)
        converse(shell, prompt_session(shell, history_in(history_file())), debug=opening.debug)
