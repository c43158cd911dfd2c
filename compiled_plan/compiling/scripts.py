"""Compilation of program texts and files, for the commands and the service."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, ProgramWarning
from compiled_plan.plans.files.paths import STDIN as STDIN
from compiled_plan.plans.files.paths import quoted

if TYPE_CHECKING:
    from compiled_plan import environment as sessions
    from compiled_plan.compiling import python_programs
    from compiled_plan.environment import CompiledScript, TableEnvironment
    from compiled_plan.planner.user_functions import plans as user_plans
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.running import embedded
    from compiled_plan.session import initializing
else:
    python_programs = deferred("compiled_plan.compiling.python_programs")
    sessions = deferred("compiled_plan.environment")
    user_plans = deferred("compiled_plan.planner.user_functions.plans")
    embedded = deferred("compiled_plan.running.embedded")
    initializing = deferred("compiled_plan.session.initializing")

PYTHON, SQL = ".py", ".sql"

Say = Callable[[str], None]


def is_program(path: str) -> bool:
    """Return True if the path names a program rather than a plan."""
    return path == STDIN or path.endswith((PYTHON, SQL))


@dataclass(frozen=True, slots=True)
class Session:
    """The initial session of a program.

    Args:
        settings: configuration options by key, as set with SET at the start of the program.
        init: SQL files that prepare the session, in order.
    """

    settings: Mapping[str, str]
    init: tuple[str, ...] = ()

    def concerned(self, fault: CompiledPlanError, program: str) -> str:
        """The program of an error; empty for an error in an init file, whose location names the file."""
        of_init = any(fault.where.startswith(quoted(file)) for file in self.init)
        return "" if of_init else program


def compiled(program: str, session: Session, say: Say) -> CompiledScript:
    """Compile a program file.

    Args:
        program: the file, in Python (`.py`) or SQL; `-` reads SQL from standard input.
        session: its initial session, whose options override those of the init files.
        say: called with each warning.

    Raises:
        ProgramError, UnsupportedError: the program cannot be read or compiled.
    """
    in_python = program.endswith(PYTHON)
    if in_python and "://" in program:
        raise ProgramError(
            "a program in Python is imported, so it must be a local file",
            where=quoted(program),
            remedy="copy it here first",
        )
    text = "" if in_python else initializing.text_of(program)
    initializing.find_modules_in(Path.cwd() if program == STDIN else Path(program).resolve().parent)
    if not in_python:
        return compiled_text(text, session, say)
    return _compiled(session, say, lambda environment: _in_python(environment, program))


def with_declared_functions(plan: CompiledPlan, session: Session) -> CompiledPlan:
    """The plan with the functions that the session's init files declare, in its calls by name.

    Raises:
        ProgramError, UnsupportedError: an init file cannot be read or executed.
    """
    return user_plans.with_catalog_functions(
        plan, sessions.TableEnvironment(session.settings, init=session.init).context.catalog
    )


def compiled_text(text: str, session: Session, say: Say) -> CompiledScript:
    """Compile a SQL script. Errors as for `compiled`."""
    return _compiled(session, say, lambda environment: environment.compile_statements(text))


def _compiled(session: Session, say: Say, compile_in: Callable[[TableEnvironment], CompiledScript]) -> CompiledScript:
    with warnings_said(say):
        environment = sessions.TableEnvironment(session.settings, init=session.init)
        for key, value in session.settings.items():
            environment.set(key, value)
        compiled = compile_in(environment)
    return compiled


@contextmanager
def warnings_said(say: Say) -> Iterator[None]:
    """Pass the product's warnings to `say`."""
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
    plan = python_programs.compile_program(environment, program)
    if "compiled_plan.running.embedded" in sys.modules:  # Otherwise the plan has no in-process tables.
        embedded.check_can_leave(plan)
    return sessions.CompiledScript(plan)
