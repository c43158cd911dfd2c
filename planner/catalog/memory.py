"""The catalog of a session: catalogs, databases, tables, views and temporary objects, in memory.

Source: Flink's "Catalogs" page; `default_catalog`.`default_database` exists from the start. A temporary object hides
the permanent one of its name, and must be dropped before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.planner.catalog.functions import FunctionCatalog
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.plans.errors import ProgramError

CatalogObject = CatalogTable | CatalogView

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"


class Catalog:
    """Everything that names in a program can stand for. Names are case-sensitive."""

    def __init__(self, catalog: str = DEFAULT_CATALOG, database: str = DEFAULT_DATABASE) -> None:
        self.current_catalog = catalog
        self.current_database = database
        #: Grows when a name comes to mean something else: what was bound before may then mean something else, too.
        self.version = 0
        self._catalogs: dict[str, dict[str, dict[str, CatalogObject]]] = {catalog: {database: {}}}
        self._temporary: dict[ObjectIdentifier, CatalogObject] = {}
        self.functions = FunctionCatalog()

    # --- names

    def qualify(self, name: tuple[str, ...]) -> ObjectIdentifier:
        """The full name of an object named by one to three parts."""
        full = ((self.current_catalog, self.current_database)[: 3 - len(name)] + name)[-3:]
        return ObjectIdentifier(full[0], full[1], full[2])

    def find(self, name: tuple[str, ...]) -> CatalogObject | None:
        """The table or view of that name, a temporary one first; None when there is none."""
        identifier = self.qualify(name)
        return self._temporary.get(identifier) or self._database(identifier).get(identifier.name)

    def names(self) -> list[str]:
        """The names that can be used unqualified."""
        here = self._catalogs.get(self.current_catalog, {}).get(self.current_database, {})
        hidden = (
            item.name
            for item in self._temporary
            if (item.catalog, item.database) == (self.current_catalog, self.current_database)
        )
        return sorted({*here, *hidden})

    def view_names(self) -> list[str]:
        """Those of `names` that are views."""
        return [name for name in self.names() if isinstance(self.find((name,)), CatalogView)]

    def catalog_names(self) -> list[str]:
        """The names of all catalogs."""
        return sorted(self._catalogs)

    def database_names(self) -> list[str]:
        """The names of the databases of the current catalog."""
        return sorted(self._catalogs.get(self.current_catalog, {}))

    def objects(self) -> Iterator[CatalogObject]:
        """All tables and views, temporary ones last."""
        for databases in self._catalogs.values():
            for objects in databases.values():
                yield from objects.values()
        yield from self._temporary.values()

    def _database(self, identifier: ObjectIdentifier) -> dict[str, CatalogObject]:
        return self._catalogs.get(identifier.catalog, {}).get(identifier.database, {})

    # --- tables and views

    def create(self, item: CatalogObject, *, if_not_exists: bool = False, replace: bool = False) -> None:
        """Add a table or view.

        Raises:
            ProgramError: the name is taken, or its catalog or database does not exist.
        """
        identifier = item.identifier
        self._require_database(identifier)
        database = self._database(identifier)
        taken = identifier in self._temporary if item.temporary else identifier.name in database
        if taken and not replace:
            if if_not_exists:
                return
            kind = "temporary table or view" if item.temporary else "table or view"
            raise ProgramError(
                f"a {kind} {identifier} already exists", remedy="choose another name, or write IF NOT EXISTS"
            )
        if identifier in self._temporary or identifier.name in database:
            self.version += 1
        if item.temporary:
            self._temporary[identifier] = item
        else:
            database[identifier.name] = item

    def drop(self, kind: str, name: tuple[str, ...], *, temporary: bool = False, if_exists: bool = False) -> None:
        """Remove a TABLE or VIEW.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
        """
        wanted = CatalogTable if kind == "TABLE" else CatalogView
        identifier = self.qualify(name)
        hidden = self._temporary.get(identifier)
        if temporary:
            if isinstance(hidden, wanted):
                del self._temporary[identifier]
                self.version += 1
                return
        elif isinstance(hidden, wanted):
            raise ProgramError(
                f"a temporary {kind.lower()} {identifier} exists",
                remedy=f"write DROP TEMPORARY {kind} first: it hides the permanent one",
            )
        elif isinstance(self._database(identifier).get(identifier.name), wanted):
            del self._database(identifier)[identifier.name]
            self.version += 1
            return
        if not if_exists:
            what = f"temporary {kind.lower()}" if temporary else kind.lower()
            raise ProgramError(f"there is no {what} {identifier}", remedy="write IF EXISTS, or check the name")

    # --- catalogs and databases

    def use_catalog(self, name: str) -> None:
        """USE CATALOG; its first database becomes the current one.

        Raises:
            ProgramError: there is no such catalog.
        """
        if name not in self._catalogs:
            raise ProgramError(f"there is no catalog {name!r}", remedy=f"there are: {', '.join(self._catalogs)}")
        self.current_catalog = name
        self.current_database = next(iter(self._catalogs[name]))

    def use_database(self, name: tuple[str, ...]) -> None:
        """USE [catalog.]database.

        Raises:
            ProgramError: there is no such database.
        """
        catalog, database = name if len(name) == 2 else (self.current_catalog, name[0])
        databases = self._catalogs.get(catalog, {})
        if database not in databases:
            known = ", ".join(databases) or "none"
            raise ProgramError(
                f"there is no database {database!r} in catalog {catalog!r}", remedy=f"there are: {known}"
            )
        self.current_catalog, self.current_database = catalog, database

    def create_catalog(self, name: str, *, if_not_exists: bool = False) -> None:
        """Add an in-memory catalog with the database `default`.

        Raises:
            ProgramError: the name is taken.
        """
        if name in self._catalogs:
            if not if_not_exists:
                raise ProgramError(f"a catalog {name!r} already exists", remedy="write IF NOT EXISTS")
            return
        self._catalogs[name] = {"default": {}}
        self.version += 1

    def create_database(self, name: tuple[str, ...], *, if_not_exists: bool = False) -> None:
        """Add a database.

        Raises:
            ProgramError: the name is taken, or the catalog does not exist.
        """
        catalog, database = name if len(name) == 2 else (self.current_catalog, name[0])
        if catalog not in self._catalogs:
            raise ProgramError(f"there is no catalog {catalog!r}", remedy=f"there are: {', '.join(self._catalogs)}")
        if database in self._catalogs[catalog]:
            if not if_not_exists:
                raise ProgramError(f"a database {database!r} already exists", remedy="write IF NOT EXISTS")
            return
        self._catalogs[catalog][database] = {}
        self.version += 1

    def drop_database(self, name: tuple[str, ...], *, if_exists: bool = False, cascade: bool = False) -> None:
        """Remove a database.

        Raises:
            ProgramError: there is none, it is the current one, or it holds tables and CASCADE was not written.
        """
        catalog, database = name if len(name) == 2 else (self.current_catalog, name[0])
        databases = self._catalogs.get(catalog, {})
        if database not in databases:
            if not if_exists:
                raise ProgramError(f"there is no database {database!r}", remedy="write IF EXISTS, or check the name")
            return
        if (catalog, database) == (self.current_catalog, self.current_database):
            raise ProgramError(f"the current database {database!r} cannot be dropped", remedy="USE another one first")
        if databases[database] and not cascade:
            raise ProgramError(f"database {database!r} is not empty", remedy="write CASCADE to drop its tables too")
        del databases[database]
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
        del self._catalogs[name]
        self.version += 1

    def _require_database(self, identifier: ObjectIdentifier) -> None:
        if identifier.catalog not in self._catalogs:
            raise ProgramError(
                f"there is no catalog {identifier.catalog!r}", remedy=f"there are: {', '.join(self._catalogs)}"
            )
        if identifier.database not in self._catalogs[identifier.catalog]:
            raise ProgramError(
                f"there is no database {identifier.database!r} in catalog {identifier.catalog!r}",
                remedy="write CREATE DATABASE first",
            )
