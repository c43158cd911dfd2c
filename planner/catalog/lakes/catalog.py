"""A catalog of a lake: tables with the columns that they have there, and tables that a program declares."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from compiled_plan.planner.catalog.in_memory import CatalogObject, Database, InMemoryCatalog
from compiled_plan.planner.catalog.lakes.access import lake_access
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from compiled_plan.plans.connectors.columns import FOLDER_TYPES
from compiled_plan.plans.connectors.lake_tables import CREATE
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.lakes.lake import Lake
from compiled_plan.plans.text.masking import masked
from compiled_plan.plans.types.spark import row_type

#: Names of databases and tables that are read: others might leave the folder of the lake.
_NAME = re.compile(r"[\w$#-]+(?:\.[\w$#-]+)*")


@dataclass
class LakeCatalog(InMemoryCatalog, ABC):
    """A catalog whose tables are in a lake. A table is read when a program names it, once in a session."""

    _lake: Lake | None = field(default=None, init=False, repr=False)

    @property
    def kind(self) -> str:
        """Its type, for messages."""
        return self.options["type"]

    @property
    def is_read(self) -> bool:
        """False if only Spark reads the catalog, so that programs declare its tables."""
        return True

    @abstractmethod
    def open(self, options: Mapping[str, str]) -> Lake:
        """The lake at these options, in which secrets are resolved."""

    @abstractmethod
    def located(self, identifier: ObjectIdentifier) -> dict[str, str]:
        """The options of the connector that locate a table."""

    @property
    def lake(self) -> Lake | None:
        """The lake; None if it cannot or must not be read."""
        access = lake_access()
        if access is None or not self.is_read:
            return None
        if self._lake is None:
            self._lake = self.open(access(self.name, self.options))
        return self._lake

    @property
    def declared(self) -> int:
        return 0  # tables are read again

    def check_changes(self, statement: str) -> None:
        raise UnsupportedError(
            f"{statement} in catalog {self.name!r} of type {self.kind!r} is not supported: compiling changes no lake",
            remedy="leave it out, or change the lake with Spark, say; for a program alone, CREATE TABLE t LIKE the "
            "table, and ALTER that",
        )

    def database_names(self) -> Collection[str]:
        return self.databases if self.lake is None else {*filter(_is_name, self.lake.databases()), *self._declaring()}

    def holds(self, database: str) -> bool:
        if database in self._declaring() or self.lake is None:
            return True
        return _is_name(database) and self.lake.has_database(database)

    def place(self, identifier: ObjectIdentifier, kind: str) -> Database:
        if kind != "TABLE":
            raise UnsupportedError(
                f"catalog {self.name!r} of type {self.kind!r} has tables alone, and no {kind.lower()}",
                remedy=f"write CREATE TEMPORARY {kind}, or create it in another catalog",
            )
        return self.databases.setdefault(identifier.database, Database())

    def names(self, database: str) -> Collection[str]:
        there = self.lake.tables(database) if self.lake is not None and _is_name(database) else ()
        return {*super().names(database), *filter(_is_name, there)}

    def find(self, identifier: ObjectIdentifier) -> CatalogObject | None:
        known = super().find(identifier)
        is_named = _is_name(identifier.database) and _is_name(identifier.name)
        if known is not None or not is_named:
            return known
        if not self.is_read:
            raise ProgramError(
                f"the columns of table {identifier} are unknown: only Spark reads catalog {self.name!r}",
                remedy=f"declare them before: CREATE TABLE {identifier} (...)",
            )
        table = None if self.lake is None else self._read(self.lake, identifier)
        if table is not None:
            self.databases.setdefault(identifier.database, Database()).objects[identifier.name] = table
        return table

    def table_options(
        self, identifier: ObjectIdentifier, options: Mapping[str, str], explicit: Mapping[str, str]
    ) -> Mapping[str, str]:
        located = self.located(identifier)
        for key, value in located.items():
            if explicit.get(key, value) != value:
                raise ProgramError(
                    f"catalog {self.name!r} of type {self.kind!r} sets the option {key!r} of table {identifier}",
                    remedy="leave the option out, or create the table in another catalog",
                )
        created = {CREATE: "true"} if self.is_read else {}
        return {**created, **options, **located}

    def _declaring(self) -> set[str]:
        """The databases of tables that are read or declared."""
        return {name for name, database in self.databases.items() if database.objects}

    def _read(self, lake: Lake, identifier: ObjectIdentifier) -> CatalogTable | None:
        """A table of the lake; None if it does not exist."""
        try:
            schema = lake.schema(identifier.database, identifier.name)
            if schema is None:
                return None
            fields = row_type(schema.struct).fields
        except UnsupportedError as fault:
            options = ", ".join(f"{key!r} = {value!r}" for key, value in masked(self.located(identifier)).items())
            raise UnsupportedError(
                f"table {identifier} cannot be read: {fault.message}",
                remedy=f"declare it with its other columns, in another catalog: CREATE TABLE t (...) WITH ({options})",
            ) from None
        types = {field.name: field.type for field in fields}
        keys = schema.partition_keys
        has_folders = all(isinstance(types.get(key), FOLDER_TYPES) for key in keys)
        return CatalogTable(
            identifier=identifier,
            columns=tuple(Column(name, type_) for name, type_ in types.items()),
            options=tuple(self.located(identifier).items()),
            primary_key=schema.primary_key,
            primary_key_name=f"PK_{'_'.join(schema.primary_key)}" if schema.primary_key else "",
            partition_keys=keys if has_folders else (),
        )


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None
