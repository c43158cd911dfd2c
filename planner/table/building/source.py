"""Error positions of the Table API: the operation and the Python expression, instead of line and caret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, ProgramError
from compiled_plan.plans.text import position

T = TypeVar("T")


@dataclass(frozen=True)
class Operation(SourceText):
    """The call of a method of `Table`; `text` is the method's name."""

    def where(self, node: ast.Node | None) -> str:
        """The operation, and the Python text of the innermost expression around `node` that has one."""
        python = next((part.python for part in ast.walk(node) if part.python), "") if node is not None else ""
        return f"{self.text}(), in {python}" if python else f"{self.text}()"

    def error(self, node: ast.Node | None, message: str, remedy: str = "") -> ProgramError:
        return super().error(node, message, _in_python(remedy))

    @contextmanager
    def at(self, node: ast.Node | None) -> Iterator[None]:
        try:
            with super().at(node):
                yield
        except ProgramError as fault:
            remedy = _in_python(fault.remedy)
            if remedy == fault.remedy:
                raise
            raise type(fault)(fault.message, where=fault.where, remedy=remedy) from None

    def where_span(self, span: position.Span) -> str:
        return f"{self.text}()"

    def refuse(self, message: str, remedy: str = "") -> ProgramError:
        """The error of the operation itself."""
        return ProgramError(message, where=f"{self.text}()", remedy=remedy)


#: Remedies of SQL's binder, and their Python equivalents.
_REMEDIES = (
    (r"write CAST\(NULL AS .*?\)$", 'write null_of("INT"), or of another type'),
    (r"add (.+) to GROUP BY, or aggregate it", r"add \1 to group_by(...), or aggregate it"),
    (r"use HAVING", "aggregate with group_by(...).select(...) first, then where(...)"),
    (r"(?:add|name a column of) GROUP BY", "use it in the select(...) that follows group_by(...)"),
    (r"write (\w+)\(\.\.\.\) OVER \(ORDER BY \.\.\.\)", 'write .over(col("w")), with over_window(...) before select'),
    (r"add a WINDOW clause", 'declare it: table.over_window(Over.partition_by(...).order_by(...).alias("w"))'),
    (r"CAST (?:one side|the values|the results) to .*", 'use .cast("type") on one of them'),
    (r"cast the results to one type", 'use .cast("type") on one of them'),
    (r"give the columns aliases", 'give them names: .alias("name")'),
)


def _in_python(remedy: str) -> str:
    for pattern, better in _REMEDIES:
        if re.fullmatch(pattern, remedy):
            return re.sub(pattern, better, remedy)
    return remedy


def not_too_deep(operation: str, call: Callable[[], T]) -> T:
    """Call `call` with room for deep expressions (see `plans.deep`); errors name the operation.

    Args:
        operation: the name of the method of `Table`.
        call: must have no side effects if it fails; it may be called twice.

    Raises:
        NestingError: expressions or queries are nested more deeply than the limit.
    """
    try:
        return deeply(call)()
    except NestingError as fault:
        raise NestingError(
            fault.message,
            where=f"{operation}()",
            remedy="compute parts of it as columns first (add_columns); join conditions with and_(...) and or_(...)",
        ) from None


#: Dummy position: the Table API has no script.
NOWHERE = position.Span(0, 0, 1, 1)
