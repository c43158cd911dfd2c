"""Catalogs and their databases by name, and the current catalog and database.

Source: Flink's pages "CREATE Statements", "ALTER Statements", "DROP Statements" and "USE Statements";
`CatalogManager` of Flink 2.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping

from compiled_plan.planner.catalog.functions import FunctionCatalog
from compiled_plan.planner.catalog.in_memory import (
    FIRST,
    IN_MEMORY,
    CatalogObject,
    Database,
    InMemoryCatalog,
    there_are,
)
from compiled_plan.planner.catalog.kinds import TYPE, new_catalog
from compiled_plan.planner.catalog.models import Models
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.errors import ProgramError, ProgramWarning


class Catalogs:
    """Catalogs by name, the current one and the current database, and functions. Names are case-sensitive."""

    def __init__(self, catalog: str, database: str) -> None:
        self.current_catalog = catalog
        self.current_database = database
        #: Incremented when a name changes its meaning, which invalidates earlier bindings.
        self.version = 0
        options = {TYPE: IN_MEMORY, FIRST: database}
        self.functions = FunctionCatalog()
        self.models = Models()
        self._built_in = catalog
        self._catalogs = {catalog: InMemoryCatalog(catalog, database, "", options)}

    def catalog_names(self) -> list[str]:
        return sorted(self._catalogs)

    def database_names(self, catalog: str = "") -> list[str]:
        """The names of the databases of a catalog, by default of the current one.

        Raises:
            ProgramError: there is no such catalog.
        """
        return sorted(self.catalog_of(catalog or self.current_catalog).database_names())

    def catalog_of(self, name: str) -> InMemoryCatalog:
        """The catalog of that name.

        Raises:
            ProgramError: there is none.
        """
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise ProgramError(f"there is no catalog {name!r}", remedy=there_are(self._catalogs))
        return catalog

    def database_of(self, name: tuple[str, ...]) -> Database:
        """The database named by one or two parts.

        Raises:
            ProgramError: there is no such catalog or database.
        """
        catalog, database = self.path_of(name)
        return self.catalog_of(catalog).database(database)

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
        """Add a catalog.

        Raises:
            ProgramError: the name is taken; options that do not fit.
            UnsupportedError: a catalog of another type.
        """
        if name in self._catalogs:
            if not if_not_exists:
                raise ProgramError(f"a catalog {name!r} already exists", remedy="write IF NOT EXISTS")
            return
        self._catalogs[name] = new_catalog(name, options, comment)
        self.version += 1

    def alter_catalog(
        self, name: str, options: Mapping[str, str], reset: Collection[str] = (), comment: str | None = None
    ) -> None:
        """ALTER CATALOG: set or reset options, or change the comment.

        Recreates the catalog, as Flink does: its objects are dropped, and tables of a lake read again.

        Raises:
            ProgramError: there is none, or it is predefined; options that do not fit.
            UnsupportedError: another type.
        """
        old = self.catalog_of(name)
        if name == self._built_in:
            raise ProgramError(f"catalog {name!r} was there from the start, and cannot be altered", remedy="CREATE one")
        if TYPE in reset:
            raise ProgramError(f"the type of catalog {name!r} cannot be forgotten", remedy="DROP and CREATE it")
        altered = {key: value for key, value in old.options.items() if key not in reset} | dict(options)
        self._catalogs[name] = new_catalog(name, altered, old.comment if comment is None else comment)
        for database in old.databases:
            self._forget(name, database)
        if old.declared:
            warnings.warn(
                f"ALTER CATALOG {name}: the catalog is in memory and begins anew, without its {old.declared} tables "
                "and views",
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
            UnsupportedError: it is that of a lake, which lacks the database.
        """
        catalog, database = self.path_of(name)
        owner = self.catalog_of(catalog)
        if owner.holds(database):
            if not if_not_exists:
                raise ProgramError(f"a database {database!r} already exists", remedy="write IF NOT EXISTS")
            return
        owner.check_changes("CREATE DATABASE")
        owner.databases[database] = Database(comment, dict(options or {}))
        self.version += 1

    def alter_database(self, name: tuple[str, ...], options: Mapping[str, str]) -> None:
        """ALTER DATABASE ... SET.

        Raises:
            ProgramError: there is no such database.
            UnsupportedError: it is one of a lake.
        """
        self.catalog_of(self.path_of(name)[0]).check_changes("ALTER DATABASE")
        self.database_of(name).options.update(options)

    def drop_database(self, name: tuple[str, ...], *, if_exists: bool = False, cascade: bool = False) -> None:
        """Remove a database.

        Raises:
            ProgramError: there is none, it is the current one, or it holds tables and CASCADE was not written.
            UnsupportedError: it is one of a lake.
        """
        catalog, database = self.path_of(name)
        owner = self.catalog_of(catalog)
        owner.check_changes("DROP DATABASE")
        databases = owner.databases
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
        """The permanent tables and views of a database that the session knows; empty if there is no such database."""
        owner = self._catalogs.get(catalog)
        return owner.databases[database].objects if owner is not None and database in owner.databases else {}

    def names_in(self, catalog: str, database: str) -> Collection[str]:
        """The names of the permanent tables and views of a database; empty if there is no such database."""
        return self._catalogs[catalog].names(database) if catalog in self._catalogs else ()

    def permanent(self, identifier: ObjectIdentifier) -> CatalogObject | None:
        """The permanent table or view of that name, which is read from a lake; None if there is none."""
        owner = self._catalogs.get(identifier.catalog)
        return None if owner is None else owner.find(identifier)

    def permanent_objects(self) -> Iterator[CatalogObject]:
        """The permanent tables and views of all databases that the session knows."""
        for catalog in self._catalogs.values():
            for database in catalog.databases.values():
                yield from database.objects.values()

    def table_options(
        self, identifier: ObjectIdentifier, options: Mapping[str, str], explicit: Mapping[str, str]
    ) -> tuple[tuple[str, str], ...]:
        """The options of a new permanent table; see `InMemoryCatalog.table_options`."""
        owner = self._catalogs.get(identifier.catalog)
        return tuple((options if owner is None else owner.table_options(identifier, options, explicit)).items())

    def require_place(self, identifier: ObjectIdentifier, kind: str) -> None:
        """Raise if a permanent TABLE, VIEW, FUNCTION or MODEL cannot be created under a name.

        Raises:
            ProgramError: there is no such catalog or database.
            UnsupportedError: the catalog has no such objects.
        """
        self.catalog_of(identifier.catalog).place(identifier, kind)

    def check_changes(self, identifier: ObjectIdentifier, statement: str) -> None:
        """Raise if a statement cannot change a permanent table or view.

        Raises:
            UnsupportedError: it is in a lake.
        """
        owner = self._catalogs.get(identifier.catalog)
        if owner is not None:
            owner.check_changes(statement)

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
