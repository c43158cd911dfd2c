"""Catalogs and databases: CREATE, ALTER, USE, DESCRIBE and SHOW (Flink docs, the pages of these statements)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from compiled_plan.planner.sql.grammar.core import all_texts
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
    from compiled_plan.planner.sql.nodes.statements import Name

#: What SHOW lists, by its words.
_LISTED = (("CATALOGS",), ("DATABASES",), ("TABLES",), ("VIEWS",), ("USER", "FUNCTIONS"), ("FUNCTIONS",))


class Catalogs(Queries):
    """Statements about catalogs and databases, and what statements that change them share."""

    def text_from(self, start: int) -> str:
        """The script from an offset to the end of the token read last."""
        return self.sql[start : self._prev.end + 1]

    def if_not_exists(self) -> bool:
        """IF NOT EXISTS, if it stands here."""
        return self.take("IF", "NOT", "EXISTS")

    def table_name(self, what: str = "a table name") -> Name:
        """One to three names between dots."""
        parts = self.dotted(what)
        if len(parts) > 3:
            span = self.span_from(parts[0].meta["start"])
            self.fail(f"SQL parse failed: {what} has at most three parts", span=span)
        return all_texts(parts)

    def comment(self) -> str | None:
        """The text of COMMENT, if it stands here."""
        return self.string("a comment in single quotes") if self.take("COMMENT") else None

    # --- CREATE ---------------------------------------------------------------------------------------------------

    def create_database(self, start: int) -> CreateDatabase:
        """CREATE DATABASE, the words already read."""
        if_not_exists = self.if_not_exists()
        name = self.table_name("a database name")
        return CreateDatabase(name=name, if_not_exists=if_not_exists, **self._told(start))

    def create_catalog(self, start: int) -> CreateCatalog:
        """CREATE CATALOG, the words already read."""
        if_not_exists = self.if_not_exists()
        name = self.name("a catalog name").name
        return CreateCatalog(name=name, if_not_exists=if_not_exists, **self._told(start))

    def _told(self, start: int) -> dict[str, Any]:
        """What is said of a catalog or database, and where the statement stands."""
        comment = self.comment()
        options = self.properties() if self.take("WITH") else {}
        return {"comment": comment, "options": options, "span": self.span_from(start), "text": self.text_from(start)}

    # --- ALTER ----------------------------------------------------------------------------------------------------

    def alter_database(self, start: int) -> AlterDatabase:
        """ALTER DATABASE, the words already read."""
        name = self.table_name("a database name")
        self.need("SET")
        options = self.properties()
        return AlterDatabase(span=self.span_from(start), text=self.text_from(start), name=name, options=options)

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
        return AlterCatalog(
            span=self.span_from(start),
            text=self.text_from(start),
            name=name,
            options=options,
            reset=reset,
            comment=comment,
        )

    # --- USE, DESCRIBE, SHOW --------------------------------------------------------------------------------------

    def use(self, start: int) -> Statement:
        """USE ..., the word itself already read."""
        if self.take("CATALOG"):
            name = self.name("a catalog name").name
            return UseCatalog(span=self.span_from(start), text=self.text_from(start), name=name)
        if self.at("MODULES"):
            self.refuse("USE MODULES")
        parts = all_texts(self.dotted("a database name"))
        return UseDatabase(span=self.span_from(start), text=self.text_from(start), name=parts)

    def describe(self, start: int) -> Statement:
        """DESCRIBE ..., the word itself already read."""
        if self.take("CATALOG"):
            extended = self.take("EXTENDED")
            catalog = self.name("a catalog name").name
            return DescribeCatalog(
                span=self.span_from(start), text=self.text_from(start), name=catalog, extended=extended
            )
        if self.at("DATABASE"):
            self.refuse("DESCRIBE DATABASE")
        self.take("TABLE")
        extended = self.take("EXTENDED")
        name = self.table_name()
        return Describe(span=self.span_from(start), text=self.text_from(start), name=name, extended=extended)

    def show(self, start: int) -> Show:
        """SHOW ..., the word itself already read."""
        words = next((words for words in _LISTED if self.take(*words)), None)
        if words is None:
            what = " ".join(self.rest())
            return Show(span=self.span_from(start), text=self.text_from(start), what=what)
        of = all_texts(self.dotted("a name")) if words != ("CATALOGS",) and self.take_any(("FROM", "IN")) else ()
        like = self._name_pattern(("LIKE",) if words in (("TABLES",), ("VIEWS",)) else ("LIKE", "ILIKE"))
        return Show(span=self.span_from(start), text=self.text_from(start), what=" ".join(words), of=of, like=like)

    def _name_pattern(self, words: tuple[str, ...]) -> NamePattern | None:
        negated = self.take("NOT")
        word = self.take_any(words)
        if not word:
            if negated:
                self.fail_expected(" or ".join(words))
            return None
        return NamePattern(pattern=self.string("a pattern in single quotes"), negated=negated, any_case=word == "ILIKE")

    def rest(self) -> list[str]:
        """The words up to the end of the statement, in capitals."""
        words = []
        while not self.at_end() and not self.at_symbol(TokenType.SEMICOLON):
            words.append(self._curr.text.upper())
            self._advance()
        return words
