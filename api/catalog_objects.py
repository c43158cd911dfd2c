"""A catalog of a session as an object, and the objects in it.

Source: PyFlink's `Catalog`, `CatalogDatabase`, `CatalogBaseTable`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.api.models import MODELS
from compiled_plan.api.results.identifiers import ObjectPath
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView
from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.descriptors import TableDescriptor, create_table
from compiled_plan.planner.table.schemas import declared_schema
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_identifier


@dataclass(frozen=True)
class CatalogDescriptor:
    """The declaration of a catalog: name, options and comment."""

    catalog_name: str
    configuration: Configuration
    comment: str | None = None

    @staticmethod
    def of(catalog_name: str, configuration: Configuration, comment: str | None = None) -> CatalogDescriptor:
        """A catalog of these options, such as `type`."""
        return CatalogDescriptor(catalog_name, configuration, comment)


class _Described:
    """Options and comment of a database or table."""

    def __init__(self, options: Mapping[str, str], comment: str | None) -> None:
        self._options, self._comment = dict(options), comment

    def get_comment(self) -> str:
        """The comment; empty if it has none."""
        return self._comment or ""

    def get_description(self) -> str | None:
        """The comment."""
        return self._comment

    def get_detailed_description(self) -> str | None:
        """The comment."""
        return self._comment


class CatalogDatabase(_Described):
    """A database: its properties and comment."""

    @staticmethod
    def create_instance(properties: Mapping[str, str], comment: str | None = None) -> CatalogDatabase:
        """A database for `Catalog.create_database`."""
        return CatalogDatabase(properties, comment)

    def get_properties(self) -> dict[str, str]:
        """The properties by key."""
        return dict(self._options)

    def copy(self) -> CatalogDatabase:
        """The same database."""
        return CatalogDatabase(self._options, self._comment)


class CatalogBaseTable(_Described):
    """A table: its schema, options, partition columns and comment."""

    def __init__(
        self, schema: Schema, options: Mapping[str, str], comment: str | None, partition_keys: Sequence[str] = ()
    ) -> None:
        super().__init__(options, comment)
        self._schema, self._partition_keys = schema, tuple(partition_keys)

    @staticmethod
    def create_table(
        schema: Schema,
        partition_keys: Sequence[str] = (),
        properties: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> CatalogBaseTable:
        """A table for `Catalog.create_table`."""
        return CatalogBaseTable(schema, properties or {}, comment, partition_keys)

    create_view = refused_method(
        "CatalogBaseTable.create_view()",
        "a view is stored with its query",
        "write t_env.execute_sql('CREATE VIEW name AS SELECT ...'), or t_env.create_view(name, table)",
    )

    def get_options(self) -> dict[str, str]:
        """The connector's options by key."""
        return dict(self._options)

    def get_unresolved_schema(self) -> Schema:
        """The schema."""
        return self._schema

    def copy(self) -> CatalogBaseTable:
        """The same table."""
        return CatalogBaseTable(self._schema, self._options, self._comment, self._partition_keys)

    def descriptor(self) -> TableDescriptor:
        """The table as a descriptor."""
        return TableDescriptor(self._schema, tuple(self._options.items()), self._partition_keys, self._comment)


#: Reasons and remedies of the objects of catalogs that are refused.
PARTITIONS = "partitions are found in the table's files when it is read", "add and remove files in the table's folder"
STATISTICS = "the optimizer here uses no statistics", "leave the call out; join order and operators follow the program"
PROCEDURES = "there are no procedures", "run the statement with the database's own client"
FUNCTIONS = (
    "a function is stored with its class",
    "write t_env.create_function(name, function), or CREATE FUNCTION and ALTER FUNCTION in SQL",
)


def _refused(name: str, why: tuple[str, str]) -> Any:
    return refused_method(f"Catalog.{name}()", *why)


class Catalog:
    """A catalog of a session: `t_env.get_catalog(name)`. Its changes are those of the statements in SQL.

    Args:
        context: the session.
        name: the catalog's name.
    """

    def __init__(self, context: PlanningContext, name: str) -> None:
        self._catalogs, self._context, self._name = context.catalog, context, name

    # --- databases

    def get_default_database(self) -> str:
        """The database that is current when the catalog becomes current."""
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
        """CREATE DATABASE."""
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
        """The names of the tables and views of a database that are not temporary."""
        self._catalogs.database_of((self._name, database_name))
        return sorted(self._catalogs.objects_in(self._name, database_name))

    def list_views(self, database_name: str) -> list[str]:
        """The names of the views among `list_tables`."""
        objects = self._catalogs.objects_in(self._name, database_name)
        return [name for name in self.list_tables(database_name) if isinstance(objects[name], CatalogView)]

    def table_exists(self, table_path: ObjectPath) -> bool:
        """Return True if the database has a table or view of that name."""
        return table_path.object_name in self._catalogs.objects_in(self._name, table_path.database_name)

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """The table of that name.

        Raises:
            ProgramError: there is none.
        """
        table = self._catalogs.objects_in(self._name, table_path.database_name).get(table_path.object_name)
        if not isinstance(table, CatalogTable):
            raise ProgramError(
                f"catalog {self._name!r} has no table {table_path}", where="get_table()", remedy="see list_tables(...)"
            )
        schema = Schema.new_builder().from_resolved_schema(declared_schema(table)).build()
        return CatalogBaseTable(schema, dict(table.options), table.comment, table.partition_keys)

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """CREATE TABLE."""
        path = ".".join(map(quote_identifier, self._path(table_path)))
        create_table(self._context, path, table.descriptor(), temporary=False, ignore_if_exists=ignore_if_exists)

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP TABLE or DROP VIEW."""
        table = self._catalogs.objects_in(self._name, table_path.database_name).get(table_path.object_name)
        kind = "VIEW" if isinstance(table, CatalogView) else "TABLE"
        self._catalogs.drop(kind, self._path(table_path), if_exists=ignore_if_not_exists)

    alter_table = _refused("alter_table", ("a table is stored with its columns", "write ALTER TABLE in SQL"))
    rename_table = _refused(
        "rename_table", ("a table is stored with its name", "write ALTER TABLE name RENAME TO other in SQL")
    )

    def list_materialized_tables(self, database_name: str) -> list[str]:
        """An empty list: a session has materialized tables in statements of SQL alone."""
        return []

    # --- functions

    def list_functions(self, database_name: str) -> list[str]:
        """The names of the functions of a database that are not temporary."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.functions.names_in(self._name, database_name, temporary=False)

    def function_exists(self, function_path: ObjectPath) -> bool:
        """Return True if the database has a function of that name."""
        return function_path.object_name.lower() in self.list_functions(function_path.database_name)

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP FUNCTION."""
        name = self._catalogs.qualify(self._path(function_path))
        self._catalogs.functions.drop(name, temporary=False, if_exists=ignore_if_not_exists)

    get_function = _refused("get_function", FUNCTIONS)
    create_function = _refused("create_function", FUNCTIONS)
    alter_function = _refused("alter_function", FUNCTIONS)

    # --- models

    def list_models(self, database_name: str) -> list[str]:
        """The names of the models of a database."""
        self._catalogs.database_of((self._name, database_name))
        return self._catalogs.models.names(self._name, database_name)

    def model_exists(self, model_path: ObjectPath) -> bool:
        """Return True if the database has a model of that name."""
        return model_path.object_name in self.list_models(model_path.database_name)

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """DROP MODEL."""
        name = self._catalogs.qualify(self._path(model_path))
        self._catalogs.models.drop(name, temporary=False, if_exists=ignore_if_not_exists)

    get_model = _refused("get_model", MODELS)
    rename_model = _refused("rename_model", MODELS)
    create_model = _refused("create_model", MODELS)
    alter_model = _refused("alter_model", MODELS)

    # --- procedures, partitions, statistics

    def list_procedures(self, database_name: str) -> list[str]:
        """An empty list: there are no procedures."""
        return []

    get_procedure = _refused("get_procedure", PROCEDURES)
    list_partitions = _refused("list_partitions", PARTITIONS)
    get_partition = _refused("get_partition", PARTITIONS)
    partition_exists = _refused("partition_exists", PARTITIONS)
    create_partition = _refused("create_partition", PARTITIONS)
    drop_partition = _refused("drop_partition", PARTITIONS)
    alter_partition = _refused("alter_partition", PARTITIONS)
    get_table_statistics = _refused("get_table_statistics", STATISTICS)
    get_table_column_statistics = _refused("get_table_column_statistics", STATISTICS)
    get_partition_statistics = _refused("get_partition_statistics", STATISTICS)
    bulk_get_partition_statistics = _refused("bulk_get_partition_statistics", STATISTICS)
    get_partition_column_statistics = _refused("get_partition_column_statistics", STATISTICS)
    bulk_get_partition_column_statistics = _refused("bulk_get_partition_column_statistics", STATISTICS)
    alter_table_statistics = _refused("alter_table_statistics", STATISTICS)
    alter_table_column_statistics = _refused("alter_table_column_statistics", STATISTICS)
    alter_partition_statistics = _refused("alter_partition_statistics", STATISTICS)
    alter_partition_column_statistics = _refused("alter_partition_column_statistics", STATISTICS)

    def _path(self, path: ObjectPath) -> tuple[str, str, str]:
        return self._name, path.database_name, path.object_name
