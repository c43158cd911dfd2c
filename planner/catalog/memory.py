"""The catalog of a session: catalogs, databases, tables, views and temporary objects, in memory.

Source: Flink's "Catalogs" page; `default_catalog`.`default_database` exists from the start. A temporary object hides
the permanent one of its name, and must be dropped first.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.planner.catalog.databases import CatalogObject, Catalogs
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.plans.errors import ProgramError

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"


class Catalog(Catalogs):
    """All named objects of a session. Names are case-sensitive."""

    def __init__(self, catalog: str = DEFAULT_CATALOG, database: str = DEFAULT_DATABASE) -> None:
        super().__init__(catalog, database)
        self._temporary: dict[ObjectIdentifier, CatalogObject] = {}

    # --- names

    def qualify(self, name: tuple[str, ...]) -> ObjectIdentifier:
        """The full name of an object with a name of one to three parts."""
        full = ((self.current_catalog, self.current_database)[: 3 - len(name)] + name)[-3:]
        return ObjectIdentifier(full[0], full[1], full[2])

    def find(self, name: tuple[str, ...]) -> CatalogObject | None:
        """The table or view of that name, a temporary one first; None if there is none."""
        identifier = self.qualify(name)
        return self._temporary.get(identifier) or self._database(identifier).get(identifier.name)

    def names(self, database: tuple[str, ...] = ()) -> list[str]:
        """The names of the tables and views of a database, by default of the current one."""
        path = self.path_of(database) if database else (self.current_catalog, self.current_database)
        hidden = (item.name for item in self._temporary if (item.catalog, item.database) == path)
        return sorted({*self.objects_in(*path), *hidden})

    def view_names(self, database: tuple[str, ...] = ()) -> list[str]:
        """The view names among `names`."""
        return [name for name in self.names(database) if isinstance(self.find((*database, name)), CatalogView)]

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
        """
        identifier = item.identifier
        if not item.temporary:
            self.require_database(identifier)
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
            kind_text = f"temporary {kind.lower()}" if temporary else kind.lower()
            raise ProgramError(f"there is no {kind_text} {identifier}", remedy="write IF EXISTS, or check the name")
