"""The bound script, and errors that point into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compiled_plan.planner.diagnostics.placing import placed
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from compiled_plan.plans.text import position


@dataclass(frozen=True)
class SourceText:
    """The script that the nodes' positions refer to.

    Args:
        text: the script.
        file: its file, if not the program's own; positions then start with it.
    """

    text: str
    file: str = ""

    def where(self, node: ast.Node | None) -> str:
        """Line, column and the text with a caret under `node`, or under its first part with a position."""
        span = next((part.span for part in ast.walk(node) if part.span), None) if node is not None else None
        return "" if span is None else self.where_span(span)

    def where_span(self, span: position.Span) -> str:
        """As `where`, for a span."""
        return self.in_file(position.render(span, self.text))

    def in_file(self, where: str) -> str:
        """A position in the script, with the file if necessary."""
        return f"{self.file}, {where}" if self.file and where else where

    def error(self, node: ast.Node | None, message: str, remedy: str = "") -> ProgramError:
        """A program error at `node`."""
        return ProgramError(message, where=self.where(node), remedy=remedy)

    def error_at(self, span: position.Span, message: str, remedy: str = "") -> ProgramError:
        """A program error at a span."""
        return ProgramError(message, where=self.where_span(span), remedy=remedy)

    def unsupported_at(self, span: position.Span, construct: str, remedy: str = "") -> UnsupportedError:
        """As `unsupported`, for a span."""
        return UnsupportedError(f"{construct} is not supported yet", where=self.where_span(span), remedy=remedy)

    def refuse_queries(self, node: ast.Node, context: str) -> None:
        """Raise for a query inside an expression of a table's declaration.

        Raises:
            ProgramError: there is one.
        """
        for part in ast.walk(node):
            if isinstance(part, ast.QueryNode | ast.Exists):
                raise self.error(part, f"a query cannot stand in {context}")

    def unsupported(self, node: ast.Node | None, construct: str, remedy: str = "") -> UnsupportedError:
        """The error for an unsupported construct of Flink."""
        return UnsupportedError(f"{construct} is not supported yet", where=self.where(node), remedy=remedy)

    @contextmanager
    def at(self, node: ast.Node | None) -> Iterator[None]:
        """Add the position of `node` to errors without one; the innermost position wins."""
        try:
            yield
        except CompiledPlanError as fault:
            raise placed(fault, self.where(node)) from None

    @contextmanager
    def at_span(self, span: position.Span) -> Iterator[None]:
        """As `at`, for a span."""
        try:
            yield
        except CompiledPlanError as fault:
            raise placed(fault, self.where_span(span)) from None
