"""The catalog of a session: catalogs, databases, tables, views and temporary objects.

Source: Flink's "Catalogs" page; `default_catalog`.`default_database` exists from the start. A temporary object hides
the permanent one of its name, and must be dropped first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiled_plan.planner.catalog.databases import Catalogs
from compiled_plan.planner.catalog.in_memory import CatalogObject
from compiled_plan.planner.catalog.jars import Jars
from compiled_plan.planner.catalog.modules import Modules
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.plans.errors import ProgramError

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"

_KINDS: dict[str, type[CatalogObject]] = {"TABLE": CatalogTable, "VIEW": CatalogView}


class Catalog(Catalogs):
    """All named objects of a session. Names are case-sensitive."""

    def __init__(self, catalog: str = DEFAULT_CATALOG, database: str = DEFAULT_DATABASE) -> None:
        super().__init__(catalog, database)
        self._temporary: dict[ObjectIdentifier, CatalogObject] = {}
        self.modules = Modules()
        self.jars = Jars()

    # --- names

    def qualify(self, name: tuple[str, ...]) -> ObjectIdentifier:
        """The full name of an object with a name of one to three parts."""
        full = ((self.current_catalog, self.current_database)[: 3 - len(name)] + name)[-3:]
        return ObjectIdentifier(full[0], full[1], full[2])

    def find(self, name: tuple[str, ...]) -> CatalogObject | None:
        """The table or view of that name, a temporary one first; None if there is none."""
        identifier = self.qualify(name)
        return self._temporary.get(identifier) or self.permanent(identifier)

    def known(self, name: tuple[str, ...]) -> CatalogObject | None:
        """As `find`, without reading a lake."""
        identifier = self.qualify(name)
        return self._temporary.get(identifier) or self._database(identifier).get(identifier.name)

    def names(self, database: tuple[str, ...] = ()) -> list[str]:
        """The names of the tables and views of a database, by default of the current one."""
        path = self.database_path(database)
        hidden = (item.name for item in self._temporary if (item.catalog, item.database) == path)
        return sorted({*self.names_in(*path), *hidden})

    def database_path(self, database: tuple[str, ...]) -> tuple[str, str]:
        """The catalog and database of a name, which is empty for the current database."""
        return self.path_of(database) if database else (self.current_catalog, self.current_database)

    def view_names(self, database: tuple[str, ...] = ()) -> list[str]:
        """The view names among `names`."""
        return [name for name in self.names(database) if isinstance(self.find((*database, name)), CatalogView)]

    def materialized_names(self, database: tuple[str, ...] = ()) -> list[str]:
        """The names of materialized tables among `names`."""
        items = ((name, self.find((*database, name))) for name in self.names(database))
        return [name for name, item in items if isinstance(item, CatalogTable) and item.materialized is not None]

    def objects(self) -> Iterator[CatalogObject]:
        """All tables and views, temporary ones last."""
        yield from self.permanent_objects()
        yield from self._temporary.values()

    def _database(self, identifier: ObjectIdentifier) -> dict[str, CatalogObject]:
        return self.objects_in(identifier.catalog, identifier.database)

    # --- tables and views

    def create(self, item: CatalogObject, *, if_not_exists: bool = False, replace: bool = False) -> None:
        """Add a table or view.

        Raises:
            ProgramError: the name is taken, or the catalog or database of a permanent one does not exist.
            UnsupportedError: a view in a lake, or a table that replaces one there.
        """
        identifier = item.identifier
        if not item.temporary:
            self.require_place(identifier, "VIEW" if isinstance(item, CatalogView) else "TABLE")
            if replace:
                self.check_changes(identifier, "CREATE OR REPLACE TABLE")
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

    def alterable(self, kind: str, name: tuple[str, ...]) -> CatalogObject | None:
        """The TABLE or VIEW that ALTER changes: a permanent one that no temporary one hides; None if there is none.

        Raises:
            ProgramError: the name is that of a table and `kind` is VIEW, or the other way round.
            UnsupportedError: the name is in a lake.
        """
        identifier = self.qualify(name)
        if identifier in self._temporary:
            return None
        self.check_changes(identifier, f"ALTER {kind}")
        item = self._database(identifier).get(identifier.name)
        if item is not None and not isinstance(item, _KINDS[kind]):
            actual = "view" if kind == "TABLE" else "table"
            raise ProgramError(f"{identifier} is a {actual}", remedy=f"write ALTER {actual.upper()}")
        return item

    def no_alterable(self, kind: str, name: tuple[str, ...]) -> ProgramError:
        """The error for a missing table or view of ALTER."""
        identifier, what = self.qualify(name), kind.lower()
        if identifier in self._temporary:
            return ProgramError(
                f"{identifier} is temporary, and ALTER changes permanent tables and views only",
                remedy="DROP and CREATE it again",
            )
        return ProgramError(
            f"there is no {what} {identifier}", remedy=did_you_mean(identifier.name, self.names(), "check the name")
        )

    def alter(self, item: CatalogObject) -> None:
        """Replace a permanent table or view by its next version. Raises UnsupportedError in a lake."""
        self.check_changes(item.identifier, "ALTER TABLE")
        self._database(item.identifier)[item.identifier.name] = item
        self.version += 1

    def rename(self, item: CatalogObject, name: tuple[str, ...]) -> None:
        """Rename a permanent table or view inside its database.

        Raises:
            ProgramError: the name is taken, or in another database.
            UnsupportedError: it is in a lake.
        """
        self.check_changes(item.identifier, "RENAME")
        old, new = item.identifier, self.qualify(name)
        if (new.catalog, new.database) != (old.catalog, old.database):
            raise ProgramError(
                f"{old} cannot become {new}: RENAME keeps a table in its database",
                remedy="CREATE it there, DROP it here",
            )
        objects = self._database(old)
        if new.name in objects:
            raise ProgramError(f"a table or view {new} already exists", remedy="choose another name")
        objects[new.name] = replace(objects.pop(old.name), identifier=new)
        self.version += 1

    def drop(self, kind: str, name: tuple[str, ...], *, temporary: bool = False, if_exists: bool = False) -> None:
        """Remove a TABLE or VIEW.

        Raises:
            ProgramError: there is none, or a temporary one hides it.
            UnsupportedError: it is in a lake.
        """
        wanted = _KINDS[kind]
        identifier = self.qualify(name)
        if not temporary:
            self.check_changes(identifier, f"DROP {kind}")
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
            kind_text = f"temporary {kind.lower()}" if temporary else kind.lower()
            raise ProgramError(f"there is no {kind_text} {identifier}", remedy="write IF EXISTS, or check the name")
