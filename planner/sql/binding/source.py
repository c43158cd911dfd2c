"""The text being bound, and errors that point into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compiled_plan.planner.diagnostics.internal import InternalError
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.nodes import position
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError


@dataclass(frozen=True)
class SourceText:
    """The script that the nodes' positions refer to.

    Args:
        text: the script.
        file: its file, where that is another one than the program's; places then begin with it.
    """

    text: str
    file: str = ""

    def where(self, node: ast.Node | None) -> str:
        """Line, column and the text with a caret under `node`, or under the first part of it that has a place."""
        span = next((part.span for part in ast.walk(node) if part.span), None) if node is not None else None
        return "" if span is None else self.where_span(span)

    def where_span(self, span: position.Span) -> str:
        """As `where`, of a span."""
        return self.in_file(position.render(span, self.text))

    def in_file(self, where: str) -> str:
        """A place in the script, with the file where that is to be said."""
        return f"{self.file}, {where}" if self.file and where else where

    def error(self, node: ast.Node | None, message: str, remedy: str = "") -> ProgramError:
        """A program error at `node`."""
        return ProgramError(message, where=self.where(node), remedy=remedy)

    def error_at(self, span: position.Span, message: str, remedy: str = "") -> ProgramError:
        """A program error at a span."""
        return ProgramError(message, where=self.where_span(span), remedy=remedy)

    def unsupported_at(self, span: position.Span, construct: str, remedy: str = "") -> UnsupportedError:
        """As `unsupported`, at a span."""
        return UnsupportedError(f"{construct} is not supported yet", where=self.where_span(span), remedy=remedy)

    def refuse_queries(self, node: ast.Node, context: str) -> None:
        """Refuse a query inside an expression of a table's declaration.

        Raises:
            ProgramError: there is one.
        """
        for part in ast.walk(node):
            if isinstance(part, ast.QueryNode | ast.Exists):
                raise self.error(part, f"a query cannot stand in {context}")

    def unsupported(self, node: ast.Node | None, construct: str, remedy: str = "") -> UnsupportedError:
        """The error for a construct that is known and not supported."""
        return UnsupportedError(f"{construct} is not supported yet", where=self.where(node), remedy=remedy)

    @contextmanager
    def at(self, node: ast.Node | None) -> Iterator[None]:
        """Give errors that have no place yet the place of `node`; the innermost place wins."""
        try:
            yield
        except CompiledPlanError as fault:
            if isinstance(fault, InternalError) or (isinstance(fault, ProgramError | UnsupportedError) and fault.where):
                raise
            raise _placed(fault, self.where(node)) from None

    @contextmanager
    def at_span(self, span: position.Span) -> Iterator[None]:
        """As `at`, of a span."""
        try:
            yield
        except CompiledPlanError as fault:
            if isinstance(fault, InternalError) or (isinstance(fault, ProgramError | UnsupportedError) and fault.where):
                raise
            raise _placed(fault, self.where_span(span)) from None


def _placed(fault: CompiledPlanError, where: str) -> CompiledPlanError:
    """The error at a place, as one of the program."""
    kind = type(fault) if isinstance(fault, UnsupportedError) else ProgramError
    return kind(fault.message, where=fault.where or where, remedy=fault.remedy)
