"""Intermediate objects of a call chain: a grouped table, a window without its time, a table as of a time.

Any method other than the required next one is an error that names the required one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.plans.errors import ProgramError


class UnfinishedError(ProgramError, AttributeError):
    """A missing method that requires another call first."""


def _refused(subject: str, remedy: str, name: str) -> NoReturn:
    if name.startswith("_"):
        raise AttributeError(name)
    raise UnfinishedError(f"{subject} has no {name!r}", where=f"{name}()", remedy=remedy)


def no_method(subject: str, class_: type, name: str) -> AttributeError:
    """The error for a missing method, with the nearest name, also for a name of the Java API."""
    if name.startswith("_"):
        return AttributeError(name)
    known = [method for method in dir(class_) if not method.startswith("_")]
    snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0].lower()}", name)
    remedy = f"write {snake}" if snake in known else did_you_mean(name, known, "docs/table-api.md has what there is")
    return UnfinishedError(f"{subject} has no {name!r}", where=name, remedy=remedy)


class Unfinished:
    """Base of tables and windows that another call must complete.

    `WHAT` is the name in errors, `NEXT` describes the required call.
    """

    __slots__ = ()

    WHAT = "this"
    NEXT = ""

    if not TYPE_CHECKING:  # type checkers know the existing methods

        def __getattr__(self, name: str) -> object:
            _refused(self.WHAT, self.NEXT, name)

    def __iter__(self) -> NoReturn:
        raise ProgramError(f"{self.WHAT} cannot be iterated over", remedy=self.NEXT)

    def __format__(self, spec: str) -> NoReturn:
        raise ProgramError(f"{self.WHAT} has no name in SQL", remedy=self.NEXT)

    def __repr__(self) -> str:
        return self.WHAT


class Beginning(type):
    """Metaclass of `Tumble` and the like, which have a single first call."""

    #: The required first call.
    BEGIN: str

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> object:
            _refused(cls.__name__, f"write {cls.BEGIN}", name)

    def __call__(cls, *arguments: object, **named: object) -> NoReturn:
        raise ProgramError(f"{cls.__name__} is not made by a call", where=f"{cls.__name__}()", remedy=cls.BEGIN)


def remedy_of(value: object, otherwise: str = "") -> str:
    """The remedy for an unfinished object in the place of a table or window."""
    if isinstance(value, Unfinished):
        return value.NEXT
    if isinstance(value, Beginning):
        return f"write {value.BEGIN}"
    return otherwise


def check_table(value: object, operation: str) -> PlannedTable:
    """Return the value if it is a table.

    Raises:
        ProgramError: it is not; names the missing call of an unfinished object.
    """
    if not isinstance(value, PlannedTable):
        raise ProgramError(
            f"{operation}() takes a Table, not {value!r}",
            where=f"{operation}()",
            remedy=remedy_of(value, 'write env.from_path("name"), env.sql_query(...) or env.from_values(...)'),
        )
    return value
