"""Catalogs and databases of a session: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.deferred import deferred

if TYPE_CHECKING:
    from compiled_plan.catalogs import catalog as catalogs
    from compiled_plan.catalogs.catalog import Catalog
    from compiled_plan.catalogs.tables import CatalogDescriptor
    from compiled_plan.results.table_result import TableResult
else:
    catalogs = deferred("compiled_plan.catalogs.catalog")


class CatalogMethods:
    """Methods that list catalogs, databases, tables and views, and select the current ones.

    >>> from compiled_plan import TableEnvironment
    >>> env = TableEnvironment()
    >>> _ = env.execute_sql("CREATE DATABASE sales; CREATE TABLE sales.orders (id INT) WITH ('connector' = 'datagen')")
    >>> env.use_database("sales")
    >>> env.get_current_database(), env.list_tables()
    ('sales', ['orders'])
    """

    context: PlanningContext

    if TYPE_CHECKING:

        def execute_sql(self, stmt: str) -> TableResult:
            """Execute a statement."""

    def use_catalog(self, catalog_name: str) -> None:
        """Make a catalog the current one, and its default database the current database.

        Args:
            catalog_name: the catalog.

        Raises:
            ProgramError: no catalog has that name.
        """
        self.context.catalog.use_catalog(catalog_name)

    def use_database(self, database_name: str) -> None:
        """Make a database of the current catalog the current one.

        Args:
            database_name: the database.

        Raises:
            ProgramError: the current catalog has no such database.
        """
        self.context.catalog.use_database((database_name,))

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """The catalog of that name as an object; None if there is none."""
        return catalogs.Catalog(self.context, catalog_name) if catalog_name in self.list_catalogs() else None

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """CREATE CATALOG.

        Args:
            catalog_name: the catalog.
            catalog_descriptor: its options: `CatalogDescriptor.of(name, configuration)`.

        Raises:
            ProgramError, UnsupportedError: the name is taken, or the options name no catalog.
        """
        options = catalog_descriptor.configuration.to_dict()
        self.context.catalog.create_catalog(catalog_name, options, catalog_descriptor.comment or "")

    register_catalog = refused_method(
        "register_catalog()",
        "a catalog of Java cannot be loaded",
        "create it here: create_catalog(name, CatalogDescriptor.of(name, configuration)), and declare its tables in "
        "an init file",
    )

    def get_current_catalog(self) -> str:
        """The name of the current catalog."""
        return self.context.catalog.current_catalog

    def get_current_database(self) -> str:
        """The name of the current database."""
        return self.context.catalog.current_database

    def list_catalogs(self) -> list[str]:
        """The names of all catalogs."""
        return self.context.catalog.catalog_names()

    def list_databases(self) -> list[str]:
        """The names of the databases of the current catalog."""
        return self.context.catalog.database_names()

    def list_tables(self) -> list[str]:
        """The names of the tables and views of the current database."""
        return self.context.catalog.names()

    def list_materialized_tables(self) -> list[str]:
        """The names of the materialized tables of the current database: SHOW MATERIALIZED TABLES."""
        return [row[0] for row in self.execute_sql("SHOW MATERIALIZED TABLES").collect()]

    def list_views(self) -> list[str]:
        """The names of the views of the current database."""
        return self.context.catalog.view_names()

    def list_temporary_tables(self) -> list[str]:
        """The names of the temporary tables and views of the current database."""
        return [name for name in self.context.catalog.names() if self._is_temporary(name)]

    def list_temporary_views(self) -> list[str]:
        """The names of the temporary views of the current database."""
        return [name for name in self.list_views() if self._is_temporary(name)]

    def _is_temporary(self, name: str) -> bool:
        table = self.context.catalog.find((name,))
        return table is not None and table.temporary
