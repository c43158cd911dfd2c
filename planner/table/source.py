"""Errors of the Table API: the operation and the Python expression, where SQL has a line and a caret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import exp

from planner.sql import position
from planner.sql.binding.source import Source
from planner.table.nodes import TEXT
from plans.errors import ProgramError, UnsupportedError


@dataclass(frozen=True)
class Operation(Source):
    """A method of `Table` being carried out: `text` is its name."""

    def where(self, node: exp.Expr | None) -> str:
        """The operation, and the Python text of the innermost expression around `node` that has one."""
        found = next((part.meta[TEXT] for part in node.walk() if TEXT in part.meta), "") if node is not None else ""
        return f"{self.text}(), in {found}" if found else f"{self.text}()"

    def where_span(self, span: position.Span) -> str:
        return f"{self.text}()"

    def error_at(self, span: position.Span, message: str, remedy: str = "") -> ProgramError:
        return ProgramError(message, where=self.where_span(span), remedy=remedy)

    def unsupported_at(self, span: position.Span, what: str, remedy: str = "") -> UnsupportedError:
        return UnsupportedError(f"{what} is not supported yet", where=self.where_span(span), remedy=remedy)

    def refuse(self, message: str, remedy: str = "") -> ProgramError:
        """An error of the operation itself."""
        return ProgramError(message, where=f"{self.text}()", remedy=remedy)


@contextmanager
def not_too_deep(operation: str) -> Iterator[None]:
    """Refuse expressions that nest more deeply than Python's stack allows."""
    try:
        yield
    except RecursionError:
        raise ProgramError(
            "an expression nests too deeply",
            where=f"{operation}()",
            remedy="compute parts of it as columns first (add_columns); join conditions with and_(...) and or_(...)",
        ) from None


#: Where nothing stands: the Table API has no script.
NOWHERE = position.Span(0, 0, 1, 1)
