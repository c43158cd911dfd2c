"""In-memory catalogs and their databases, and the current catalog and database.

Source: Flink's pages "CREATE Statements", "ALTER Statements", "DROP Statements" and "USE Statements";
`GenericInMemoryCatalog` and `CatalogManager` of Flink 2.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from compiled_plan.planner.catalog.functions import FunctionCatalog
from compiled_plan.planner.catalog.models import Models
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.plans.errors import ProgramError, ProgramWarning, UnsupportedError

CatalogObject = CatalogTable | CatalogView

_TYPE, _IN_MEMORY = "type", "generic_in_memory"
#: The option with the name of a catalog's first database, and its default.
_FIRST, _DEFAULT = "default-database", "default"
_OPTIONS = (_TYPE, _FIRST, "property-version")


@dataclass(slots=True)
class Database:
    """A database: its comment and options, and its tables and views by name."""

    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)
    objects: dict[str, CatalogObject] = field(default_factory=dict)


@dataclass(slots=True)
class InMemoryCatalog:
    """A catalog: its comment and options, and its databases by name; USE CATALOG selects the database `default`."""

    default: str
    comment: str = ""
    options: dict[str, str] = field(default_factory=dict)
    databases: dict[str, Database] = field(default_factory=dict)

    @classmethod
    def new(cls, name: str, options: Mapping[str, str], comment: str) -> InMemoryCatalog:
        """A catalog with its first database.

        Raises:
            ProgramError: the options lack a type, or do not fit it.
            UnsupportedError: another type.
        """
        kind = options.get(_TYPE)
        if kind is None:
            raise ProgramError(f"catalog {name!r} has no type", remedy=f"add '{_TYPE}' = '{_IN_MEMORY}'")
        if kind != _IN_MEMORY:
            raise UnsupportedError(
                f"a catalog of type {kind!r} is not supported",
                remedy=f"write '{_TYPE}' = '{_IN_MEMORY}', and declare its tables, in an init file, say",
            )
        unknown = next((key for key in options if key not in _OPTIONS), None)
        if unknown is not None:
            raise ProgramError(
                f"a catalog of type {kind!r} has no option {unknown!r}", remedy=f"leave it out; {_there_are(_OPTIONS)}"
            )
        first = options.get(_FIRST, _DEFAULT)
        if not first.strip():
            raise ProgramError(f"'{_FIRST}' of catalog {name!r} is empty", remedy="name a database, or leave it out")
        return cls(first, comment, dict(options), {first: Database()})


class Catalogs:
    """Catalogs by name, the current one and the current database, and functions. Names are case-sensitive."""

    def __init__(self, catalog: str, database: str) -> None:
        self.current_catalog = catalog
        self.current_database = database
        #: Incremented when a name changes its meaning, which invalidates earlier bindings.
        self.version = 0
        options = {_TYPE: _IN_MEMORY, _FIRST: database}
        self.functions = FunctionCatalog()
        self.models = Models()
        self._built_in = catalog
        self._catalogs = {catalog: InMemoryCatalog(database, "", options, {database: Database()})}

    def catalog_names(self) -> list[str]:
        return sorted(self._catalogs)

    def database_names(self, catalog: str = "") -> list[str]:
        """The names of the databases of a catalog, by default of the current one.

        Raises:
            ProgramError: there is no such catalog.
        """
        return sorted(self.catalog_of(catalog or self.current_catalog).databases)

    def catalog_of(self, name: str) -> InMemoryCatalog:
        """The catalog of that name.

        Raises:
            ProgramError: there is none.
        """
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise ProgramError(f"there is no catalog {name!r}", remedy=_there_are(self._catalogs))
        return catalog

    def database_of(self, name: tuple[str, ...]) -> Database:
        """The database named by one or two parts.

        Raises:
            ProgramError: there is no such catalog or database.
        """
        catalog, database = self.path_of(name)
        databases = self.catalog_of(catalog).databases
        if database not in databases:
            raise ProgramError(
                f"there is no database {database!r} in catalog {catalog!r}", remedy=_there_are(databases)
            )
        return databases[database]

    # --- catalogs

    def use_catalog(self, name: str) -> None:
        """USE CATALOG; also selects the catalog's default database.

        Raises:
            ProgramError: there is no such catalog.
        """
        self.current_catalog, self.current_database = name, self.catalog_of(name).default

    def create_catalog(
        self, name: str, options: Mapping[str, str], comment: str = "", *, if_not_exists: bool = False
    ) -> None:
        """Add an in-memory catalog with its default database.

        Raises:
            ProgramError: the name is taken; options that do not fit.
            UnsupportedError: a catalog of another type.
        """
        if name in self._catalogs:
            if not if_not_exists:
                raise ProgramError(f"a catalog {name!r} already exists", remedy="write IF NOT EXISTS")
            return
        self._catalogs[name] = InMemoryCatalog.new(name, options, comment)
        self.version += 1

    def alter_catalog(
        self, name: str, options: Mapping[str, str], reset: Collection[str] = (), comment: str | None = None
    ) -> None:
        """ALTER CATALOG: set or reset options, or change the comment.

        Recreates the catalog, as Flink does: its objects are dropped.

        Raises:
            ProgramError: there is none, or it is predefined; options that do not fit.
            UnsupportedError: another type.
        """
        old = self.catalog_of(name)
        if name == self._built_in:
            raise ProgramError(f"catalog {name!r} was there from the start, and cannot be altered", remedy="CREATE one")
        if _TYPE in reset:
            raise ProgramError(f"the type of catalog {name!r} cannot be forgotten", remedy="DROP and CREATE it")
        altered = {key: value for key, value in old.options.items() if key not in reset} | dict(options)
        self._catalogs[name] = InMemoryCatalog.new(name, altered, old.comment if comment is None else comment)
        lost = sum(len(database.objects) for database in old.databases.values())
        for database in old.databases:
            self._forget(name, database)
        if lost:
            warnings.warn(
                f"ALTER CATALOG {name}: the catalog is in memory and begins anew, without its {lost} tables and views",
                ProgramWarning,
                stacklevel=2,
            )
        self.version += 1

    def drop_catalog(self, name: str, *, if_exists: bool = False) -> None:
        """Remove a catalog.

        Raises:
            ProgramError: there is none, or it is the current one.
        """
        if name not in self._catalogs:
            if not if_exists:
                raise ProgramError(f"there is no catalog {name!r}", remedy="write IF EXISTS, or check the name")
            return
        if name == self.current_catalog:
            raise ProgramError(f"the current catalog {name!r} cannot be dropped", remedy="USE CATALOG another first")
        for database in self._catalogs.pop(name).databases:
            self._forget(name, database)
        self.version += 1

    # --- databases

    def use_database(self, name: tuple[str, ...]) -> None:
        """USE [catalog.]database.

        Raises:
            ProgramError: there is no such database.
        """
        self.database_of(name)
        self.current_catalog, self.current_database = self.path_of(name)

    def create_database(
        self,
        name: tuple[str, ...],
        options: Mapping[str, str] | None = None,
        comment: str = "",
        *,
        if_not_exists: bool = False,
    ) -> None:
        """Add a database.

        Raises:
            ProgramError: the name is taken, or the catalog does not exist.
        """
        catalog, database = self.path_of(name)
        databases = self.catalog_of(catalog).databases
        if database in databases:
            if not if_not_exists:
                raise ProgramError(f"a database {database!r} already exists", remedy="write IF NOT EXISTS")
            return
        databases[database] = Database(comment, dict(options or {}))
        self.version += 1

    def alter_database(self, name: tuple[str, ...], options: Mapping[str, str]) -> None:
        """ALTER DATABASE ... SET.

        Raises:
            ProgramError: there is no such database.
        """
        self.database_of(name).options.update(options)

    def drop_database(self, name: tuple[str, ...], *, if_exists: bool = False, cascade: bool = False) -> None:
        """Remove a database.

        Raises:
            ProgramError: there is none, it is the current one, or it holds tables and CASCADE was not written.
        """
        catalog, database = self.path_of(name)
        databases = self.catalog_of(catalog).databases
        if database not in databases:
            if not if_exists:
                raise ProgramError(f"there is no database {database!r}", remedy="write IF EXISTS, or check the name")
            return
        if (catalog, database) == (self.current_catalog, self.current_database):
            raise ProgramError(f"the current database {database!r} cannot be dropped", remedy="USE another one first")
        functions = self.functions.names_in(catalog, database, temporary=False)
        if (databases[database].objects or functions) and not cascade:
            raise ProgramError(
                f"database {database!r} is not empty", remedy="write CASCADE to drop its tables and functions, too"
            )
        del databases[database]
        self._forget(catalog, database)
        self.version += 1

    def _forget(self, catalog: str, database: str) -> None:
        """Remove the functions and models of a dropped database."""
        self.functions.forget(catalog, database)
        self.models.forget(catalog, database)

    # --- for tables

    def objects_in(self, catalog: str, database: str) -> dict[str, CatalogObject]:
        """The permanent tables and views of a database; empty if there is no such database."""
        owner = self._catalogs.get(catalog)
        return owner.databases[database].objects if owner is not None and database in owner.databases else {}

    def permanent_objects(self) -> Iterator[CatalogObject]:
        """The permanent tables and views of all databases."""
        for catalog in self._catalogs.values():
            for database in catalog.databases.values():
                yield from database.objects.values()

    def require_database(self, identifier: ObjectIdentifier) -> None:
        """Raise if the object's database does not exist.

        Raises:
            ProgramError: there is no such catalog or database.
        """
        self.database_of((identifier.catalog, identifier.database))

    def path_of(self, name: tuple[str, ...]) -> tuple[str, str]:
        """The catalog and database of a database name of one or two parts.

        Raises:
            ProgramError: it has more.
        """
        if len(name) > 2:
            raise ProgramError(
                f"{'.'.join(name)!r} names no database", remedy="write a database's name, or catalog.database"
            )
        return (self.current_catalog, name[0]) if len(name) == 1 else (name[0], name[1])


def _there_are(names: Collection[str]) -> str:
    return f"there are: {', '.join(sorted(names)) or 'none'}"
