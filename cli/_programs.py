"""Compiling a program, as every command does it that takes one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.api.environment import CompiledScript, TableEnvironment

#: Stands for standard input, which has SQL.
STDIN = "-"
_PYTHON, _SQL = ".py", ".sql"

Say = Callable[[str], None]


def is_program(path: str) -> bool:
    """Whether a path names a program, and no plan."""
    return path == STDIN or path.endswith((_PYTHON, _SQL))


def compiled(program: str, settings: Mapping[str, str], say: Say) -> CompiledScript:
    """The plan of a program, and where its COMPILE PLAN statement wants it.

    Args:
        program: a file, .py or else SQL; `-` reads SQL from stdin.
        settings: options, as SET at the program's start.
        say: told each warning.

    Raises:
        ProgramError, UnsupportedError: the program is refused, or cannot be read.
    """
    in_python = program.endswith(_PYTHON)
    if in_python and "://" in program:
        raise ProgramError(
            "a program in Python is imported, so it must be a local file", where=program, remedy="copy it here first"
        )
    text = "" if in_python else _read(program)
    # CREATE FUNCTION ... AS 'module.Class' finds modules beside the program, after all others.
    sys.path.append(str(Path.cwd() if program == STDIN else Path(program).resolve().parent))
    from compiled_plan.api.environment import TableEnvironment

    environment = TableEnvironment()
    with _warnings_said(say):
        for key, value in settings.items():
            environment.set(key, value)
        found = _in_python(environment, program) if in_python else environment.compile_statements(text)
    for key in environment.config:
        nearest = environment.config.nearest(key)
        if nearest is not None:
            say(f"warning: the option {key!r} is unknown; did you mean {nearest!r}?")
    return found


@contextmanager
def _warnings_said(say: Say) -> Iterator[None]:
    """Warnings of the product as lines of the command."""
    from compiled_plan.plans.errors import ProgramWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", ProgramWarning)
        plain = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, ProgramWarning):
                say(f"warning: {message}")
            else:
                plain(message, category, *rest, **named)

        warnings.showwarning = show
        yield


def _in_python(environment: TableEnvironment, program: str) -> CompiledScript:
    from compiled_plan.api.environment import CompiledScript
    from compiled_plan.api.program import compile_program

    plan = compile_program(environment, program)
    if "compiled_plan.api.embedded" in sys.modules:  # else the program has no tables of its own process
        from compiled_plan.api.embedded import check_can_leave

        check_can_leave(plan)
    return CompiledScript(plan)


def _read(program: str) -> str:
    from compiled_plan.plans.files import is_remote, read_text

    if program == STDIN:
        return sys.stdin.read()
    if is_remote(program):
        return read_text(program, "program")
    try:
        return Path(program).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ProgramError("there is no such file", where=program, remedy="check the path") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ProgramError(f"the program cannot be read: {fault}", where=program) from None
