"""Basics of all commands: exit codes, the console, errors without tracebacks."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import traceback
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TextIO

import typer

from compiled_plan.commands.interrupts import Interrupted, Interrupts, end_spark, handled_by
from compiled_plan.plans.errors import CompiledPlanError, too_deep
from compiled_plan.plans.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

DEBUG_FLAG = "--debug"
#: The option of every command.
Debug = Annotated[bool, typer.Option(DEBUG_FLAG, help="Show tracebacks.")]


class ExitCode(IntEnum):
    """Exit codes of every command, with their meanings."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    OK = 0, "done"
    FAILED = 1, "the program, plan or run failed or was refused"
    USAGE = 2, "wrong usage"
    HUNG_UP = 129, "stopped by SIGHUP: the terminal was closed"
    INTERRUPTED = 130, "stopped by SIGINT"
    TERMINATED = 143, "stopped by SIGTERM"


class Status:
    """A line of progress that stays in its place at the end of a terminal, below all other output.

    Any other output of this process removes it; the next status comes after that output.
    """

    _ERASE = "\r\x1b[K"

    def __init__(self) -> None:
        self.is_shown = False

    def is_possible(self) -> bool:
        """Return True if stderr is a terminal that can erase a line."""
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, text: str) -> None:
        """Replace the line by a new text, if stderr is a terminal."""
        width = shutil.get_terminal_size().columns - 1
        self._write(f"{self._ERASE}{visible(text)[:width]}")
        self.is_shown = True

    def clear(self) -> None:
        """Remove the line, so that other output can follow."""
        if self.is_shown:
            self.is_shown = False
            self._write(self._ERASE)

    def _write(self, text: str) -> None:
        stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
        stream.write(text)
        stream.flush()


#: The status of this process.
status = Status()


class _Shown:
    """A text stream that escapes control characters, so that a terminal does not interpret them.

    Args:
        stream: the wrapped stream; rich, whose colours are control characters, writes to it directly.
        always: escape in pipes and files, too; otherwise these get the data unchanged.
    """

    def __init__(self, stream: TextIO, *, always: bool) -> None:
        self.rich_proxied_file, self._always = stream, always

    def write(self, text: str) -> int:
        stream = self.rich_proxied_file
        on_terminal = stream.isatty()
        if on_terminal:
            status.clear()
        stream.write(visible(text) if self._always or on_terminal else text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self.rich_proxied_file, name)


def show_controls() -> None:
    """Escape control characters in everything that this process prints from now on."""
    for name, always in (("stdout", False), ("stderr", True)):
        stream = getattr(sys, name)
        if not isinstance(stream, _Shown):
            setattr(sys, name, _Shown(stream, always=always))


@lru_cache(maxsize=2)
def console(*, stderr: bool = True) -> Console:
    """The console for messages (stderr) or for data (stdout).

    It never wraps lines, takes brackets literally, and uses colours and bold only on terminals and never with NO_COLOR.
    """
    from rich.console import Console

    class Safe(Console):
        def print(self, *objects: object, **how: Any) -> None:
            status.clear()
            super().print(*(visible(item) if isinstance(item, str) else item for item in objects), **how)

    # rich itself leaves bold with NO_COLOR.
    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Safe(color_system=colours, stderr=stderr, markup=False, highlight=False, soft_wrap=True, emoji=False)


def fail(fault: CompiledPlanError, path: str = "", *, debug: bool = False) -> None:
    """Print an error to stderr.

    Args:
        fault: the error.
        path: the file that the error concerns; printed first unless the message quotes it already.
        debug: print the traceback, too.
    """
    text = f"{path}: {fault.render()}" if path and repr(path) not in fault.message else fault.render()
    if debug:
        traceback.print_exception(fault)
    _print("error:", text)


def _print(word: str, text: str) -> None:
    if not sys.stderr.isatty():
        sys.stderr.write(f"{word} {text}\n")
        return
    console().print(word, end=" ", style="bold red")
    for line in text.splitlines():
        marks = set(line.strip()) == {"^"}
        console().print(line, style="bold red" if marks else None)


def run_app(app: typer.Typer) -> None:
    """Run a command to its exit; errors show a traceback only if `--debug` is among the arguments."""
    debug, interrupts = DEBUG_FLAG in sys.argv[1:], Interrupts()
    show_controls()
    # Skip the final garbage collection: it takes longer than the rest of the exit, and the memory goes anyway.
    atexit.register(gc.freeze)
    try:
        with handled_by(interrupts):
            app(prog_name=app.info.name)
    except Interrupted as end:
        _end_by(end)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as fault:
        if interrupts.first is not None and not debug:
            # A failure of what the signal interrupted, such as a call of the JVM whose answer was not read.
            _end_by(Interrupted(interrupts.first))
        _end_by_failure(fault, debug=debug)


def _end_by(end: Interrupted) -> NoReturn:
    if not end.reported:
        status.clear()
        sys.stderr.write(f"stopped by {end.signal.name}\n")
    end_spark()
    raise end


def _end_by_failure(fault: Exception, *, debug: bool) -> NoReturn:
    fault = _with_remedy(fault)
    if isinstance(fault, CompiledPlanError):
        fail(fault, debug=debug)
    elif isinstance(fault, BrokenPipeError):
        # The reader of the output is gone (`| head`); keep Python from failing again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif debug:
        raise fault
    else:
        _print("internal error:", f"{type(fault).__name__}: {fault}\n  try: again with {DEBUG_FLAG}, and report it")
    sys.exit(ExitCode.FAILED)


def _with_remedy(fault: Exception) -> Exception:
    """The product's error for an exception that any call may raise."""
    if isinstance(fault, RecursionError):
        return too_deep()
    if "pyspark" in sys.modules and not isinstance(fault, CompiledPlanError):
        from compiled_plan.plans.execution.spark.failures import lost_spark

        return lost_spark(fault) or fault
    return fault
