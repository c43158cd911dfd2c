"""Databases, tables and views of a catalog as objects.

Source: PyFlink's `CatalogDescriptor`, `CatalogDatabase`, `CatalogBaseTable`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.descriptors import TableDescriptor
from compiled_plan.planner.table.schemas import ResolvedSchema


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
        """The comment of the declaration; None without one."""
        return self._comment

    def get_detailed_description(self) -> str | None:
        """The comment of a database; None for a table or view."""
        return self._comment


class CatalogDatabase(_Described):
    """A database: its properties and comment."""

    @staticmethod
    def create_instance(properties: Mapping[str, str], comment: str | None = None) -> CatalogDatabase:
        """A database to pass to `Catalog.create_database`."""
        return CatalogDatabase(properties, comment)

    def get_properties(self) -> dict[str, str]:
        """The properties of the database by key."""
        return dict(self._options)

    def copy(self) -> CatalogDatabase:
        """A new object with the same declaration."""
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
        """A table to pass to `Catalog.create_table`."""
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
        """The schema as it was declared, not resolved."""
        return self._schema

    def copy(self) -> CatalogBaseTable:
        """A new object with the same declaration."""
        return CatalogBaseTable(self._schema, self._options, self._comment, self._partition_keys, self.query)

    def descriptor(self) -> TableDescriptor:
        """The table as a descriptor."""
        return TableDescriptor(self._schema, tuple(self._options.items()), self._partition_keys, self._comment)
