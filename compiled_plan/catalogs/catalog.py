"""A catalog of a session as an object.

Source: PyFlink's `Catalog`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.catalogs.functions import CatalogFunctionMethods
from compiled_plan.catalogs.models import CatalogModelMethods
from compiled_plan.catalogs.statistics import StatisticsMethods
from compiled_plan.catalogs.tables import CatalogBaseTable, CatalogDatabase
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.sql.binding.views import view_columns
from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.planner.table.descriptors import create_table
from compiled_plan.planner.table.schemas import ResolvedSchema, declared_schema
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.types import quote_identifier, quote_string
from compiled_plan.results.identifiers import ObjectPath

#: Reason and remedy of the refusals of procedures.
PROCEDURES = "there are no procedures", "run the statement with the database's own client"


class Catalog(StatisticsMethods, CatalogFunctionMethods, CatalogModelMethods):
    """A catalog of a session: `t_env.get_catalog(name)`. Its methods change the session as the statements of SQL do."""

    # --- databases

    def get_default_database(self) -> str:
        """The database that USE CATALOG makes the current one."""
        return self._catalogs.catalog_of(self._name).default

    def list_databases(self) -> list[str]:
        """The names of the databases."""
        return self._catalogs.database_names(self._name)

    def get_database(self, database_name: str) -> CatalogDatabase:
        """The database of that name.

        Raises:
            ProgramError: there is none.
        """
        database = self._catalogs.database_of((self._name, database_name))
        return CatalogDatabase(database.options, database.comment or None)

    def database_exists(self, database_name: str) -> bool:
        """Return True if the catalog has the database."""
        return database_name in self.list_databases()

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        """CREATE DATABASE in this catalog; see the statement for its errors."""
        options, comment = database.get_properties(), database.get_comment()
        self._catalogs.create_database((self._name, name), options, comment, if_not_exists=ignore_if_exists)

    def drop_database(self, name: str, ignore_if_exists: bool) -> None:
        """DROP DATABASE, which must be empty."""
        self._catalogs.drop_database((self._name, name), if_exists=ignore_if_exists)

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        """ALTER DATABASE: set the properties."""
        if self.database_exists(name) or not ignore_if_not_exists:
            self._catalogs.alter_database((self._name, name), new_database.get_properties())

    # --- tables

    def list_tables(self, database_name: str) -> list[str]:
        """The names of the tables and views of a database that are not temporary, in the order of their creation."""
        self._catalogs.database_of((self._name, database_name))
        return list(self._catalogs.names_in(self._name, database_name))

    def list_views(self, database_name: str) -> list[str]:
        """The names of the views among `list_tables`."""
        objects = self._catalogs.objects_in(self._name, database_name)
        return [name for name in self.list_tables(database_name) if isinstance(objects.get(name), CatalogView)]

    def table_exists(self, table_path: ObjectPath) -> bool:
        """Return True if the database has a table or view of that name."""
        return self._object(table_path) is not None

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """The table or view of that name.

        Raises:
            ProgramError: there is none.
        """
        view = self._object(table_path)
        if isinstance(view, CatalogView):
            return CatalogBaseTable(ResolvedSchema.physical(*view_columns(view)), {}, view.comment, query=view.sql)
        table = self._existing(table_path, "get_table")
        return CatalogBaseTable(declared_schema(table), dict(table.options), table.comment, table.partition_keys)

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """CREATE TABLE or CREATE VIEW.

        Raises:
            ProgramError: the name is taken, there is no such database, or the table is invalid.
        """
        path = self._text(table_path)
        if not table.query:
            create_table(self._context, path, table.descriptor(), temporary=False, ignore_if_exists=ignore_if_exists)
            return
        columns = ", ".join(map(quote_identifier, table.get_unresolved_schema().columns))
        comment = f" COMMENT {quote_string(table.get_comment())}" if table.get_comment() else ""
        name = f"IF NOT EXISTS {path}" if ignore_if_exists else path
        declare_script(self._context, f"CREATE VIEW {name} ({columns}){comment} AS {table.query}")

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP TABLE or DROP VIEW."""
        kind = "VIEW" if isinstance(self._object(table_path), CatalogView) else "TABLE"
        self._catalogs.drop(kind, self._path(table_path), if_exists=ignore_if_not_exists)

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        """Replace a table by another table, or a view by another view.

        Raises:
            ProgramError: there is none, it is of the other kind, or the new one is invalid.
        """
        self._catalogs.check_changes(ObjectIdentifier(*self._path(table_path)), "ALTER TABLE")
        objects = self._catalogs.objects_in(self._name, table_path.database_name)
        old = objects.get(table_path.object_name)
        if old is None:
            if not ignore_if_not_exists:
                self._existing(table_path, "alter_table")
            return
        if isinstance(old, CatalogView) is not bool(new_table.query):
            kinds = ("view", "table") if isinstance(old, CatalogView) else ("table", "view")
            raise ProgramError(
                "{} is a {}, and the new one is a {}".format(table_path, *kinds),
                where="alter_table()",
                remedy="drop the old one, and create the new one",
            )
        del objects[table_path.object_name]
        try:
            self.create_table(table_path, new_table, False)
        except CompiledPlanError:
            self._catalogs.alter(old)
            raise
        new = self._object(table_path)
        if isinstance(old, CatalogTable) and isinstance(new, CatalogTable):
            self._catalogs.alter(replace(new, partitions=old.partitions, annotations=old.annotations))

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """ALTER TABLE or ALTER VIEW ... RENAME TO.

        Raises:
            ProgramError: there is no such table or view, or the new name is taken.
        """
        table = self._object(table_path)
        if table is not None:
            self._catalogs.rename(table, (self._name, table_path.database_name, new_table_name))
        elif not ignore_if_not_exists:
            self._existing(table_path, "rename_table")

    def list_materialized_tables(self, database_name: str) -> list[str]:
        """The names of the materialized tables among `list_tables`."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.materialized_names((self._name, database_name))

    # --- procedures

    # Flink's in-memory catalog raises, too.
    list_procedures = refused_method("Catalog.list_procedures()", *PROCEDURES)
    get_procedure = refused_method("Catalog.get_procedure()", *PROCEDURES)
