"""Statements on catalogs and databases: CREATE and ALTER (Flink docs, their pages)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.queries import Queries
from compiled_plan.planner.sql.nodes import Constant
from compiled_plan.planner.sql.nodes.statements import (
    AlterCatalog,
    AlterDatabase,
    CreateCatalog,
    CreateDatabase,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes import Expression
    from compiled_plan.planner.sql.nodes.statements import Name
    from compiled_plan.plans.text.position import Span


class Place(TypedDict):
    """The common constructor arguments of statements."""

    span: Span
    text: str


class Catalogs(Queries):
    """Parser of statements on catalogs and databases, with parts shared by other DDL."""

    def text_from(self, start: int) -> str:
        """The script from an offset to the end of the previous token."""
        return self.sql[start : self.previous.end]

    def place(self, start: int) -> Place:
        """Span and text of a statement that ends at the previous token."""
        return {"span": self.span_from(start), "text": self.text_from(start)}

    def if_not_exists(self) -> bool:
        """Parse an optional IF NOT EXISTS."""
        return self.take("IF", "NOT", "EXISTS")

    def table_name(self, expected: str = "a table name") -> Name:
        """One to three names between dots."""
        start = self.mark()
        parts = self.dotted(expected)
        if len(parts) > 3:
            span = self.span_from(start)
            self.fail(f"SQL parse failed: {expected} has at most three parts", span=span)
        return all_texts(parts)

    def comment(self) -> str | None:
        return self.string("a comment in single quotes") if self.take("COMMENT") else None

    def partition(self) -> dict[str, Expression]:
        """Parse (column = literal, ...)."""
        return dict(self.wrapped(self._partition_item))

    def _partition_item(self) -> tuple[str, Expression]:
        name = self.name("a column name").name
        self.need_symbol("=")
        start = self.mark()
        if self.at_string():
            # Unlike the strings of expressions, those of properties and partitions may continue on the same line.
            return name, self.node(Constant(self.string(), is_string=True), start)
        return name, self.parse_expression()

    def option_keys(self) -> tuple[str, ...]:
        """Parse ('key', ...); may be empty."""
        if self.at_symbol("(") and self.peek(1).kind == ")":
            self.advance(2)
            return ()
        return tuple(self.wrapped(lambda: self.string("an option in single quotes")))

    # --- CREATE ---------------------------------------------------------------------------------------------------

    def create_database(self, start: int) -> CreateDatabase:
        """CREATE DATABASE, the words already read."""
        if_not_exists = self.if_not_exists()
        name = self.table_name("a database name")
        comment, options = self._comment_and_options()
        return CreateDatabase(
            name=name, if_not_exists=if_not_exists, comment=comment, options=options, **self.place(start)
        )

    def create_catalog(self, start: int) -> CreateCatalog:
        """CREATE CATALOG, the words already read."""
        if_not_exists = self.if_not_exists()
        name = self.name("a catalog name").name
        comment, options = self._comment_and_options()
        return CreateCatalog(
            name=name, if_not_exists=if_not_exists, comment=comment, options=options, **self.place(start)
        )

    def _comment_and_options(self) -> tuple[str | None, dict[str, str]]:
        return self.comment(), self.properties() if self.take("WITH") else {}

    # --- ALTER ----------------------------------------------------------------------------------------------------

    def alter_database(self, start: int) -> AlterDatabase:
        """ALTER DATABASE, the words already read."""
        name = self.table_name("a database name")
        self.need("SET")
        options = self.properties()
        return AlterDatabase(name=name, options=options, **self.place(start))

    def alter_catalog(self, start: int) -> AlterCatalog:
        """ALTER CATALOG, the words already read."""
        name = self.name("a catalog name").name
        options: dict[str, str] = {}
        reset: tuple[str, ...] = ()
        comment = None
        if self.take("SET"):
            options = self.properties()
        elif self.take("RESET"):
            reset = self.option_keys()
            if not reset:
                self.fail("ALTER CATALOG RESET needs at least one option")
        else:
            comment = self.comment()
            if comment is None:
                self.fail_expected("SET, RESET or COMMENT")
        return AlterCatalog(name=name, options=options, reset=reset, comment=comment, **self.place(start))

    def rest(self) -> list[str]:
        """The remaining words of the statement, in capitals."""
        words = []
        while not self.at_end() and not self.at_symbol(";"):
            words.append(self.current.text.upper())
            self.advance()
        return words
