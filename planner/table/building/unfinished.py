"""What stands between two calls of a chain: a grouped table, a window without its time, a table as of a time.

Anything but the call that must follow is an error that says which one that is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.plans.errors import ProgramError


class UnfinishedError(ProgramError, AttributeError):
    """A method that something does not have, because another call must come first."""


def _refused(subject: str, remedy: str, name: str) -> NoReturn:
    if name.startswith("_"):
        raise AttributeError(name)
    raise UnfinishedError(f"{subject} has no {name!r}", where=f"{name}()", remedy=remedy)


def no_method(subject: str, class_: type, name: str) -> AttributeError:
    """The error for a method that a class does not have: the nearest one, also where the name is Java's."""
    if name.startswith("_"):
        return AttributeError(name)
    known = [method for method in dir(class_) if not method.startswith("_")]
    snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0].lower()}", name)
    remedy = f"write {snake}" if snake in known else did_you_mean(name, known, "docs/table-api.md has what there is")
    return UnfinishedError(f"{subject} has no {name!r}", where=name, remedy=remedy)


class Unfinished:
    """Base of what is no table, or no window, yet.

    `WHAT` names it in errors, `NEXT` says which call must follow.
    """

    __slots__ = ()

    WHAT = "this"
    NEXT = ""

    if not TYPE_CHECKING:  # a type checker knows the methods that there are

        def __getattr__(self, name: str) -> Any:
            _refused(self.WHAT, self.NEXT, name)

    def __iter__(self) -> NoReturn:
        raise ProgramError(f"{self.WHAT} cannot be iterated over", remedy=self.NEXT)

    def __format__(self, spec: str) -> NoReturn:
        raise ProgramError(f"{self.WHAT} has no name in SQL", remedy=self.NEXT)

    def __repr__(self) -> str:
        return self.WHAT


class Beginning(type):
    """The class of `Tumble` and the like, which have one way to begin."""

    #: The call that begins it.
    BEGIN: str

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            _refused(cls.__name__, f"write {cls.BEGIN}", name)

    def __call__(cls, *arguments: object, **named: object) -> NoReturn:
        raise ProgramError(f"{cls.__name__} is not made by a call", where=f"{cls.__name__}()", remedy=cls.BEGIN)


def remedy_of(value: object, otherwise: str = "") -> str:
    """What to write after something unfinished that was given in the place of a table or window."""
    if isinstance(value, Unfinished):
        return value.NEXT
    if isinstance(value, Beginning):
        return f"write {value.BEGIN}"
    return otherwise


def check_table(value: object, operation: str) -> PlannedTable:
    """The value, which must be a table.

    Raises:
        ProgramError: it is none; says what must follow what it is.
    """
    if not isinstance(value, PlannedTable):
        raise ProgramError(
            f"{operation}() takes a Table, not {value!r}",
            where=f"{operation}()",
            remedy=remedy_of(value, 'write env.from_path("name"), env.sql_query(...) or env.from_values(...)'),
        )
    return value
