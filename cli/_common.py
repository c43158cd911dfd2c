"""What all commands share: exit codes, the consoles, errors without tracebacks."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import typer

from compiled_plan.plans.errors import CompiledPlanError

if TYPE_CHECKING:
    from rich.console import Console

    from compiled_plan.plans.inspection.diff.text import Line

DEBUG_FLAG = "--debug"
_WIDE = 10_000


class ExitCode(IntEnum):
    """Exit codes of every command, and what they mean."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        found = int.__new__(cls, code)
        found._value_ = code
        found.meaning = meaning
        return found

    OK = 0, "done"
    FAILED = 1, "the program, plan or run failed or was refused"
    USAGE = 2, "wrong usage"
    INTERRUPTED = 130, "stopped by SIGINT"
    TERMINATED = 143, "stopped by SIGTERM"


def app_for() -> typer.Typer:
    """An application for one command: plain help, no completion options, no decorated tracebacks."""
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def settings_of(items: Iterable[str]) -> dict[str, str]:
    """The options that `--set KEY=VALUE` gives.

    Raises:
        typer.BadParameter: not of that form.
    """
    found = {}
    for text in items:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"--set takes KEY=VALUE, not {text!r}")
        found[key.strip()] = value.strip()
    return found


@lru_cache(maxsize=2)
def console(*, stderr: bool = True) -> Console:
    """The console for messages (stderr), or for data (stdout).

    Lines are never wrapped, brackets are no markup, and colours appear on terminals alone, never with NO_COLOR.
    """
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True, emoji=False)


def print_lines(lines: Iterable[Line], *, stderr: bool = True) -> None:
    """Print lines, in colour where colours are shown."""
    stream = sys.stderr if stderr else sys.stdout
    if not stream.isatty() and not os.environ.get("FORCE_COLOR"):
        # Without rich, which takes longer to load than all else that is printed.
        stream.writelines(f"{line.text}\n" for line in lines)
        return
    for line in lines:
        console(stderr=stderr).print(line.text, style=line.style or None)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout: ruled on a terminal; in a pipe plain, one line a row, nothing cut or wrapped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    terminal = console(stderr=False).is_terminal
    table = Table(box=box.SIMPLE_HEAD if terminal else None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=not terminal)
    for row in rows:
        table.add_row(*row)
    if terminal:
        console(stderr=False).print(table, soft_wrap=False)
        return
    plain = Console(width=_WIDE, markup=False, highlight=False, emoji=False, no_color=True)
    with plain.capture() as captured:
        plain.print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def fail(fault: CompiledPlanError, path: str = "", *, debug: bool = False) -> None:
    """Print an error on stderr.

    Args:
        fault: the error; its message, place and remedy are printed.
        path: the file it concerns, named first where the message does not name it itself.
        debug: whether to print the traceback too.
    """
    text = f"{path}: {fault.render()}" if path and path not in fault.message else fault.render()
    if debug:
        traceback.print_exception(fault)
    _print("error:", text)


def _print(word: str, text: str) -> None:
    if not sys.stderr.isatty():
        sys.stderr.write(f"{word} {text}\n")
        return
    console().print(word, end=" ", style="bold red")
    console().print(text)


def run_app(app: typer.Typer) -> None:
    """Run a command to its exit. Nothing that goes wrong shows a traceback unless `--debug` is among the arguments."""
    debug = DEBUG_FLAG in sys.argv[1:]
    try:
        app()
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        sys.exit(ExitCode.FAILED)
    except BrokenPipeError:
        # The reader of the output is gone (`| head`); keep Python from failing again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.FAILED)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except RecursionError:
        if debug:
            raise
        _print("error:", "an expression is nested too deeply\n  try: cut it into several columns or views")
        sys.exit(ExitCode.FAILED)
    except Exception as fault:
        if debug:
            raise
        _print("internal error:", f"{type(fault).__name__}: {fault}\n  try: again with {DEBUG_FLAG}, and report it")
        sys.exit(ExitCode.FAILED)
