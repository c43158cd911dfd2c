"""Catalogs of a session and their databases, in memory.

Source: Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.plans.connectors.common import VERSION
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.options import Kind

CatalogObject = CatalogTable | CatalogView

IN_MEMORY = "generic_in_memory"
#: The option with the name of a catalog's first database.
FIRST = "default-database"
#: Options of all types of catalogs, besides `type`.
COMMON: Mapping[str, TableOption] = {
    FIRST: TableOption(Kind.TEXT, "default", doc="The database that `USE CATALOG` selects."),
    **VERSION,
}


@dataclass(slots=True)
class Database:
    """A database: its comment and options, and its tables and views by name."""

    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)
    objects: dict[str, CatalogObject] = field(default_factory=dict)


@dataclass
class InMemoryCatalog:
    """A catalog: its comment and options, and its databases by name; USE CATALOG selects the database `default`."""

    DOC: ClassVar[str] = "Tables that the program declares; they last as long as the session."
    OPTIONS: ClassVar[Mapping[str, TableOption]] = COMMON

    name: str
    default: str
    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)
    databases: dict[str, Database] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.databases.setdefault(self.default, Database())

    @property
    def declared(self) -> int:
        """The number of tables and views that are lost with the catalog."""
        return sum(len(database.objects) for database in self.databases.values())

    def check_changes(self, statement: str) -> None:
        """Raise if a statement cannot change the catalog.

        Raises:
            UnsupportedError: its tables are elsewhere.
        """

    def database_names(self) -> Collection[str]:
        return self.databases

    def holds(self, database: str) -> bool:
        """Return True if there is a database of that name."""
        return database in self.databases

    def database(self, name: str) -> Database:
        """A database.

        Raises:
            ProgramError: there is none of that name.
        """
        if not self.holds(name):
            raise ProgramError(
                f"there is no database {name!r} in catalog {self.name!r}", remedy=there_are(self.database_names())
            )
        return self.databases.setdefault(name, Database())

    def place(self, identifier: ObjectIdentifier, kind: str) -> Database:
        """The database of a new permanent object: a TABLE, VIEW, FUNCTION or MODEL.

        Raises:
            ProgramError: it does not exist.
            UnsupportedError: the catalog has no such objects.
        """
        return self.database(identifier.database)

    def names(self, database: str) -> Collection[str]:
        """The names of tables and views; empty if there is no such database."""
        return self.databases[database].objects if database in self.databases else ()

    def find(self, identifier: ObjectIdentifier) -> CatalogObject | None:
        """The table or view of that name; None if there is none."""
        database = self.databases.get(identifier.database)
        return None if database is None else database.objects.get(identifier.name)

    def table_options(
        self, identifier: ObjectIdentifier, options: Mapping[str, str], explicit: Mapping[str, str]
    ) -> Mapping[str, str]:
        """The options of a table that a program creates in this catalog.

        Args:
            identifier: the table.
            options: its options, those of LIKE among them.
            explicit: those of its WITH.

        Raises:
            ProgramError: an explicit option contradicts the catalog.
        """
        return options


def there_are(names: Collection[str]) -> str:
    return f"there are: {', '.join(sorted(names)) or 'none'}"
