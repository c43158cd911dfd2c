"""Statements on catalogs and databases: CREATE, ALTER, USE, DESCRIBE and SHOW (Flink docs, their pages)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.queries import Queries
from compiled_plan.planner.sql.nodes.statements import (
    AlterCatalog,
    AlterDatabase,
    CreateCatalog,
    CreateDatabase,
    Describe,
    DescribeCatalog,
    NamePattern,
    Show,
    Statement,
    UseCatalog,
    UseDatabase,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes.position import Span
    from compiled_plan.planner.sql.nodes.statements import Name

#: Listings of SHOW, by their words.
_LISTED = (("CATALOGS",), ("DATABASES",), ("TABLES",), ("VIEWS",), ("USER", "FUNCTIONS"), ("FUNCTIONS",))


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
        """Parse an optional COMMENT."""
        return self.string("a comment in single quotes") if self.take("COMMENT") else None

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
            reset = tuple(self.wrapped(lambda: self.string("an option in single quotes")))
        else:
            comment = self.comment()
            if comment is None:
                self.fail_expected("SET, RESET or COMMENT")
        return AlterCatalog(name=name, options=options, reset=reset, comment=comment, **self.place(start))

    # --- USE, DESCRIBE, SHOW --------------------------------------------------------------------------------------

    def use(self, start: int) -> Statement:
        """USE ..., the word itself already read."""
        if self.take("CATALOG"):
            name = self.name("a catalog name").name
            return UseCatalog(name=name, **self.place(start))
        if self.at("MODULES"):
            self.refuse("USE MODULES")
        parts = all_texts(self.dotted("a database name"))
        return UseDatabase(name=parts, **self.place(start))

    def describe(self, start: int) -> Statement:
        """DESCRIBE ..., the word itself already read."""
        if self.take("CATALOG"):
            extended = self.take("EXTENDED")
            catalog = self.name("a catalog name").name
            return DescribeCatalog(name=catalog, extended=extended, **self.place(start))
        if self.at("DATABASE"):
            self.refuse("DESCRIBE DATABASE")
        self.take("TABLE")
        extended = self.take("EXTENDED")
        name = self.table_name()
        return Describe(name=name, extended=extended, **self.place(start))

    def show(self, start: int) -> Show:
        """SHOW ..., the word itself already read."""
        words = next((words for words in _LISTED if self.take(*words)), None)
        if words is None:
            listing = " ".join(self.rest())
            return Show(what=listing, **self.place(start))
        of = all_texts(self.dotted("a name")) if words != ("CATALOGS",) and self.take_any(("FROM", "IN")) else ()
        like = self._name_pattern(("LIKE",) if words in (("TABLES",), ("VIEWS",)) else ("LIKE", "ILIKE"))
        return Show(what=" ".join(words), of=of, like=like, **self.place(start))

    def _name_pattern(self, words: tuple[str, ...]) -> NamePattern | None:
        negated = self.take("NOT")
        word = self.take_any(words)
        if not word:
            if negated:
                self.fail_expected(" or ".join(words))
            return None
        return NamePattern(pattern=self.string("a pattern in single quotes"), negated=negated, any_case=word == "ILIKE")

    def rest(self) -> list[str]:
        """The remaining words of the statement, in capitals."""
        words = []
        while not self.at_end() and not self.at_symbol(";"):
            words.append(self.current.text.upper())
            self.advance()
        return words
