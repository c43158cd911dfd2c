"""The base of the methods of a catalog: its session, and lookups of tables."""

from __future__ import annotations

from compiled_plan.planner.catalog.in_memory import CatalogObject
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_identifier
from compiled_plan.results.identifiers import ObjectPath


class CatalogBase:
    """A catalog of a session.

    Args:
        context: the session.
        name: the catalog's name.
    """

    def __init__(self, context: PlanningContext, name: str) -> None:
        self._catalogs, self._context, self._name = context.catalog, context, name

    def _path(self, path: ObjectPath) -> tuple[str, str, str]:
        return self._name, path.database_name, path.object_name

    def _text(self, path: ObjectPath) -> str:
        """The full name in SQL."""
        return ".".join(map(quote_identifier, self._path(path)))

    def _object(self, path: ObjectPath) -> CatalogObject | None:
        """The permanent table or view of that name; None if there is none."""
        return self._catalogs.permanent(ObjectIdentifier(*self._path(path)))

    def _existing(self, path: ObjectPath, operation: str) -> CatalogTable:
        table = self._object(path)
        if isinstance(table, CatalogTable):
            return table
        kind = "table, but a view" if isinstance(table, CatalogView) else "table"
        raise ProgramError(
            f"catalog {self._name!r} has no {kind} {path}", where=f"{operation}()", remedy="see list_tables(...)"
        )
