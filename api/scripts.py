"""Programs as texts and files, compiled with what their sessions begin with: what commands and the service do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files.paths import STDIN as STDIN
from compiled_plan.plans.files.paths import quoted

if TYPE_CHECKING:
    from compiled_plan.api.environment import CompiledScript, TableEnvironment

PYTHON, SQL = ".py", ".sql"

Say = Callable[[str], None]


def is_program(path: str) -> bool:
    """Whether a path names a program, and no plan."""
    return path == STDIN or path.endswith((PYTHON, SQL))


@dataclass(frozen=True, slots=True)
class Session:
    """What the session of a program begins with.

    Args:
        settings: options, as SET at the program's start.
        init: files that prepare it, in their order.
    """

    settings: Mapping[str, str]
    init: tuple[str, ...] = ()

    def concerned(self, fault: CompiledPlanError, program: str) -> str:
        """The program, if an error is of that; empty for one of an init file, whose place names it."""
        of_init = any(fault.where.startswith(quoted(file)) for file in self.init)
        return "" if of_init else program


def compiled(program: str, session: Session, say: Say) -> CompiledScript:
    """The plan of a program, and where its COMPILE PLAN statement wants it.

    Args:
        program: a file, .py or else SQL; `-` reads SQL from stdin.
        session: what it begins with; options hold over those that an init file sets.
        say: told each warning.

    Raises:
        ProgramError, UnsupportedError: the program is refused, or cannot be read.
    """
    in_python = program.endswith(PYTHON)
    if in_python and "://" in program:
        raise ProgramError(
            "a program in Python is imported, so it must be a local file",
            where=quoted(program),
            remedy="copy it here first",
        )
    from compiled_plan.api.initializing import find_modules_in, text_of

    text = "" if in_python else text_of(program)
    find_modules_in(Path.cwd() if program == STDIN else Path(program).resolve().parent)
    if not in_python:
        return compiled_text(text, session, say)
    return _compiled(session, say, lambda environment: _in_python(environment, program))


def compiled_text(text: str, session: Session, say: Say) -> CompiledScript:
    """The plan of a script of SQL. Raises as `compiled` does."""
    return _compiled(session, say, lambda environment: environment.compile_statements(text))


def _compiled(session: Session, say: Say, compile_in: Callable[[TableEnvironment], CompiledScript]) -> CompiledScript:
    from compiled_plan.api.environment import TableEnvironment

    with _warnings_said(say):
        environment = TableEnvironment(session.settings, init=session.init)
        for key, value in session.settings.items():
            environment.set(key, value)
        found = compile_in(environment)
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
    if "compiled_plan.api.running.embedded" in sys.modules:  # else the program has no tables of its own process
        from compiled_plan.api.running.embedded import check_can_leave

        check_can_leave(plan)
    return CompiledScript(plan)
