"""Errors that reach a user. Each says what is wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Callable

#: Functions that hide secrets in messages; they are added with the first secret that the process resolves.
CONCEALERS: list[Callable[[str], str]] = []


def _shown(text: str) -> str:
    for conceal in CONCEALERS:
        text = conceal(text)
    return text


class CompiledPlanError(Exception):
    """Base of every error the product raises on purpose; commands print it without a traceback.

    Args:
        message: what is wrong, in one sentence.
        where: where it is wrong (a JSON pointer, a node, a file, a line and column).
        remedy: what the reader can do next.
    """

    #: IPython prints its lines in place of a traceback where it is set.
    _render_traceback_: Callable[[], list[str]]

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        self.message, self.where, self.remedy = (_shown(text) for text in (message, where, remedy))
        super().__init__(self.render())

    def render(self) -> str:
        """Error text: message, location and remedy, each on its own line."""
        lines = [self.message]
        if self.where:
            lines.append(f"  at: {self.where}")
        if self.remedy:
            lines.append(f"  try: {self.remedy}")
        return "\n".join(lines)


class PlanError(CompiledPlanError):
    """A plan file that cannot be read, validated or edited."""


class UnsupportedError(CompiledPlanError):
    """A plan, program, option or type that the product knows of and does not run."""


class NestingError(UnsupportedError):
    """A text, expression, query or JSON that is nested more deeply than the documented limit."""


class ProgramWarning(UserWarning):
    """A valid but suspicious construct in a program; commands print it."""


class ProgramError(CompiledPlanError):
    """A table program that does not compile (syntax, names, types, semantics)."""


def too_deep() -> ProgramError:
    """The error in place of a RecursionError."""
    return ProgramError("an expression is nested too deeply", remedy="split it into several columns or views")


class ExecutionError(CompiledPlanError):
    """A run that could not start or that failed."""


class CheckpointError(ExecutionError):
    """A checkpoint that does not fit the plan."""


class BusyError(CheckpointError):
    """A checkpoint in use by another run, or changed by one since it was read: retrying may succeed."""


class DataError(ExecutionError):
    """A row that cannot be read, cast or written."""
