"""USE, DESCRIBE and SHOW (Flink docs, their pages)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.grammar.alter import Alter
from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.nodes.statements import (
    Describe,
    NamePattern,
    Show,
    Statement,
    UseCatalog,
    UseDatabase,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes.statements import Name

_LIKE, _ANY_LIKE = ("LIKE",), ("LIKE", "ILIKE")
#: Listings with a pattern of names: their words, if FROM may follow, and the words of patterns.
_LISTINGS = (
    (("CATALOGS",), False, _ANY_LIKE),
    (("DATABASES",), True, _ANY_LIKE),
    (("TABLES",), True, _LIKE),
    (("VIEWS",), True, _LIKE),
    (("MATERIALIZED", "TABLES"), True, _LIKE),
    (("MODELS",), True, _LIKE),
    (("USER", "FUNCTIONS"), True, _ANY_LIKE),
    (("FUNCTIONS",), True, _ANY_LIKE),
    (("PROCEDURES",), True, _ANY_LIKE),
)
#: Listings of the session.
_PLAIN = (
    ("CURRENT", "CATALOG"),
    ("CURRENT", "DATABASE"),
    ("FULL", "MODULES"),
    ("MODULES",),
    ("JARS",),
    ("JOBS",),
)
_CREATED = (("TABLE",), ("VIEW",), ("CATALOG",), ("MATERIALIZED", "TABLE"), ("MODEL",))
_DESCRIBED = ("CATALOG", "FUNCTION", "TABLE")


class Showing(Alter):
    """Parser of USE, DESCRIBE and SHOW."""

    def use(self, start: int) -> Statement:
        """USE ..., the word itself already read."""
        if self.take("CATALOG"):
            name = self.name("a catalog name").name
            return UseCatalog(name=name, **self.place(start))
        if self.take("MODULES"):
            return self.use_modules(start)
        parts = all_texts(self.dotted("a database name"))
        return UseDatabase(name=parts, **self.place(start))

    def describe(self, start: int) -> Statement:
        """DESCRIBE ..., the word itself already read."""
        if self.at("DATABASE"):
            self.refuse(
                "DESCRIBE DATABASE", remedy="write SHOW DATABASES, or SHOW TABLES FROM it; Flink refuses it, too"
            )
        if self.take("JOB"):
            job = self.string("the id of a job in single quotes")
            return Describe(kind="JOB", name=(job,), extended=False, **self.place(start))
        kind = "MODEL" if self.at_model() else self.take_any(_DESCRIBED) or "TABLE"
        if kind == "MODEL":
            self.advance()
        extended = self.take("EXTENDED")
        expected = f"a {kind.lower()} name"
        name = (self.name(expected).name,) if kind == "CATALOG" else self.table_name(expected)
        return Describe(kind=kind, name=name, extended=extended, **self.place(start))

    def show(self, start: int) -> Show:
        """SHOW ..., the word itself already read."""
        for listing, owned, patterns in _LISTINGS:
            if self.take(*listing):
                of = self._owner() if owned and self.take_any(("FROM", "IN")) else ()
                like = self._name_pattern(patterns)
                return Show(what=" ".join(listing), of=of, like=like, **self.place(start))
        if self.take("COLUMNS"):
            if not self.take_any(("FROM", "IN")):
                self.fail_expected("FROM or IN")
            of = self.table_name()
            return Show(what="COLUMNS", of=of, like=self._name_pattern(_LIKE), **self.place(start))
        if self.take("CREATE"):
            self.take("OR", "ALTER")
            kind = self._words_of(_CREATED, "TABLE, VIEW, CATALOG, MATERIALIZED TABLE or MODEL")
            return Show(what=f"CREATE {kind}", of=self.table_name(f"a {kind.lower()} name"), **self.place(start))
        if self.take("PARTITIONS"):
            of = self.table_name()
            partition = self.partition() if self.take("PARTITION") else {}
            return Show(what="PARTITIONS", of=of, partition=partition, **self.place(start))
        what = self._words_of(_PLAIN, "TABLES, VIEWS, DATABASES, CATALOGS, FUNCTIONS, COLUMNS, CREATE or another list")
        return Show(what=what, **self.place(start))

    def _words_of(self, choices: tuple[tuple[str, ...], ...], expected: str) -> str:
        words = next((words for words in choices if self.take(*words)), None)
        if words is None:
            self.fail_expected(expected)
        return " ".join(words)

    def _owner(self) -> Name:
        return all_texts(self.dotted("a name"))

    def _name_pattern(self, words: tuple[str, ...]) -> NamePattern | None:
        negated = self.take("NOT")
        word = self.take_any(words)
        if not word:
            if negated:
                self.fail_expected(" or ".join(words))
            return None
        return NamePattern(pattern=self.string("a pattern in single quotes"), negated=negated, any_case=word == "ILIKE")
