"""A catalog of a session as an object, and the objects in it.

Source: PyFlink's `Catalog`, `CatalogDatabase`, `CatalogBaseTable`, `CatalogFunction`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from compiled_plan.api.catalog_partitions import PartitionMethods
from compiled_plan.api.models import MODELS
from compiled_plan.api.results.identifiers import ObjectPath
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView
from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.planner.sql.binding.views import view_columns
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.descriptors import TableDescriptor, create_table
from compiled_plan.planner.table.schemas import ResolvedSchema, declared_schema
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.types import quote_identifier, quote_string


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
        """The comment of a database; None for a table or view."""
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


def _unresolved(schema: Schema | ResolvedSchema) -> Schema:
    """A schema as it is declared."""
    return Schema.new_builder().from_resolved_schema(schema).build() if isinstance(schema, ResolvedSchema) else schema


class CatalogBaseTable(_Described):
    """A table or view: its schema, options, partition columns and comment; `query` is that of a view."""

    def __init__(
        self,
        schema: Schema | ResolvedSchema,
        options: Mapping[str, str],
        comment: str | None,
        partition_keys: Sequence[str] = (),
        query: str = "",
    ) -> None:
        super().__init__(options, comment)
        self._schema, self._partition_keys, self.query = _unresolved(schema), tuple(partition_keys), query

    @staticmethod
    def create_table(
        schema: Schema | ResolvedSchema,
        partition_keys: Sequence[str] = (),
        properties: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> CatalogBaseTable:
        """A table for `Catalog.create_table`."""
        return CatalogBaseTable(schema, properties or {}, comment, partition_keys)

    @staticmethod
    def create_view(
        original_query: str,
        expanded_query: str,
        schema: Schema | ResolvedSchema,
        properties: Mapping[str, str],
        comment: str | None = None,
    ) -> CatalogBaseTable:
        """A view for `Catalog.create_table`.

        Args:
            original_query: the query as written, for people.
            expanded_query: the query that is run, with full names of tables.
            schema: the columns.
            properties: options of the view, which nothing reads.
            comment: the comment.
        """
        return CatalogBaseTable(schema, properties, comment, query=expanded_query or original_query)

    def get_detailed_description(self) -> None:
        """None: tables and views have no detailed description."""

    def get_options(self) -> dict[str, str]:
        """The connector's options by key."""
        return dict(self._options)

    def get_unresolved_schema(self) -> Schema:
        """The schema."""
        return self._schema

    def copy(self) -> CatalogBaseTable:
        """The same table."""
        return CatalogBaseTable(self._schema, self._options, self._comment, self._partition_keys, self.query)

    def descriptor(self) -> TableDescriptor:
        """The table as a descriptor."""
        return TableDescriptor(self._schema, tuple(self._options.items()), self._partition_keys, self._comment)


class FunctionLanguage(Enum):
    """The language of a function."""

    JAVA = "JAVA"
    SCALA = "SCALA"
    PYTHON = "PYTHON"

    def __str__(self) -> str:
        return self.value


_A_FUNCTION = "This is a user-defined function"


@dataclass(frozen=True)
class CatalogFunction:
    """A function of a catalog: its class, or its name in a module of Python."""

    class_name: str
    function_language: FunctionLanguage = FunctionLanguage.PYTHON
    options: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def create_instance(class_name: str, function_language: str = "Python") -> CatalogFunction:
        """A function for `Catalog.create_function`.

        Args:
            class_name: `module.name` in Python, or the full name of a class.
            function_language: Python, Java or Scala.

        Raises:
            ValueError: another language.
        """
        language = FunctionLanguage.__members__.get(function_language.upper())
        if language is None:
            raise ValueError("function_language must be one of 'Python', 'Java' or 'Scala'")
        return CatalogFunction(class_name, language)

    def get_class_name(self) -> str:
        """The class, or the name in a module of Python."""
        return self.class_name

    def get_function_language(self) -> FunctionLanguage:
        """The language."""
        return self.function_language

    def get_options(self) -> dict[str, str]:
        """Options by key."""
        return dict(self.options)

    def get_description(self) -> str:
        """A text that is the same for all functions."""
        return _A_FUNCTION

    def get_detailed_description(self) -> str:
        """A text that is the same for all functions."""
        return _A_FUNCTION

    def copy(self) -> CatalogFunction:
        """The same function."""
        return replace(self)


#: Reason and remedy of what deals with procedures.
PROCEDURES = "there are no procedures", "run the statement with the database's own client"


def _refused(name: str, why: tuple[str, str]) -> Any:
    return refused_method(f"Catalog.{name}()", *why)


class Catalog(PartitionMethods):
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
        """The names of the tables and views of a database that are not temporary, in the order of their creation."""
        self._catalogs.database_of((self._name, database_name))
        return list(self._catalogs.objects_in(self._name, database_name))

    def list_views(self, database_name: str) -> list[str]:
        """The names of the views among `list_tables`."""
        objects = self._catalogs.objects_in(self._name, database_name)
        return [name for name in self.list_tables(database_name) if isinstance(objects[name], CatalogView)]

    def table_exists(self, table_path: ObjectPath) -> bool:
        """Return True if the database has a table or view of that name."""
        return table_path.object_name in self._catalogs.objects_in(self._name, table_path.database_name)

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """The table or view of that name.

        Raises:
            ProgramError: there is none.
        """
        view = self._catalogs.objects_in(self._name, table_path.database_name).get(table_path.object_name)
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
        table = self._catalogs.objects_in(self._name, table_path.database_name).get(table_path.object_name)
        kind = "VIEW" if isinstance(table, CatalogView) else "TABLE"
        self._catalogs.drop(kind, self._path(table_path), if_exists=ignore_if_not_exists)

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        """Replace a table by another table, or a view by another view.

        Raises:
            ProgramError: there is none, it is of the other kind, or the new one is invalid.
        """
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
        new = self._catalogs.objects_in(self._name, table_path.database_name)[table_path.object_name]
        if isinstance(old, CatalogTable) and isinstance(new, CatalogTable):
            self._catalogs.alter(replace(new, partitions=old.partitions, annotations=old.annotations))

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """ALTER TABLE or ALTER VIEW ... RENAME TO.

        Raises:
            ProgramError: there is no such table or view, or the new name is taken.
        """
        objects = self._catalogs.objects_in(self._name, table_path.database_name)
        if table_path.object_name in objects:
            renamed = (self._name, table_path.database_name, new_table_name)
            self._catalogs.rename(objects[table_path.object_name], renamed)
        elif not ignore_if_not_exists:
            self._existing(table_path, "rename_table")

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

    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        """The function of that name.

        Raises:
            ProgramError: there is none.
        """
        name = self._catalogs.qualify(self._path(function_path))
        if not self._catalogs.functions.holds(name, temporary=False):
            raise ProgramError(
                f"catalog {self._name!r} has no function {function_path}",
                where="get_function()",
                remedy="see list_functions(...)",
            )
        function = self._catalogs.functions.permanent(name)
        language = FunctionLanguage.PYTHON if function.java is None else FunctionLanguage.JAVA
        return CatalogFunction(function.class_name, language)

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        """CREATE FUNCTION.

        Raises:
            ProgramError: the name is taken, there is no such database, or the function is not there.
        """
        kind = "CREATE FUNCTION IF NOT EXISTS" if ignore_if_exists else "CREATE FUNCTION"
        self._declare_function(kind, function_path, function)

    def alter_function(
        self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool
    ) -> None:
        """ALTER FUNCTION.

        Raises:
            ProgramError: there is no such function, or the new one is not there.
        """
        kind = "ALTER FUNCTION IF EXISTS" if ignore_if_not_exists else "ALTER FUNCTION"
        self._declare_function(kind, function_path, new_function)

    def _declare_function(self, kind: str, path: ObjectPath, function: CatalogFunction) -> None:
        name, class_ = self._text(path), quote_string(function.class_name)
        declare_script(self._context, f"{kind} {name} AS {class_} LANGUAGE {function.function_language}")

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

    # --- procedures

    def list_procedures(self, database_name: str) -> list[str]:
        """An empty list: there are no procedures."""
        return []

    get_procedure = _refused("get_procedure", PROCEDURES)

    def _path(self, path: ObjectPath) -> tuple[str, str, str]:
        return self._name, path.database_name, path.object_name

    def _text(self, path: ObjectPath) -> str:
        """The full name in SQL."""
        return ".".join(map(quote_identifier, self._path(path)))
