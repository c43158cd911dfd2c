"""Names of objects in catalogs.

Source: PyFlink's `ObjectPath`, `ObjectIdentifier`.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_identifier


@dataclass(frozen=True, order=True)
class ObjectPath:
    """The name of an object in a catalog: database and name."""

    database_name: str
    object_name: str

    @staticmethod
    def from_string(full_name: str) -> ObjectPath:
        """The path of `database.name`.

        Raises:
            ProgramError: not two parts.
        """
        database, _, name = full_name.partition(".")
        if not database or not name:
            raise ProgramError(f"{full_name!r} is no path", where="from_string()", remedy="write database.name")
        return ObjectPath(database, name)

    def get_database_name(self) -> str:
        """The name of the database, without quotes."""
        return self.database_name

    def get_object_name(self) -> str:
        """The name in the database."""
        return self.object_name

    def get_full_name(self) -> str:
        """The full name, `database.name`, without quotes."""
        return f"{self.database_name}.{self.object_name}"

    def compare_to(self, other: ObjectPath) -> int:
        """-1, 0 or 1 as the full name is before, equal to or after another one."""
        left, right = self.get_full_name(), other.get_full_name()
        return (left > right) - (left < right)

    def __str__(self) -> str:
        return self.get_full_name()


@dataclass(frozen=True)
class ObjectIdentifier:
    """The full name of an object: catalog, database and name."""

    catalog_name: str
    database_name: str
    object_name: str

    @staticmethod
    def of(catalog_name: str, database_name: str, object_name: str) -> ObjectIdentifier:
        """An identifier of three parts."""
        return ObjectIdentifier(catalog_name, database_name, object_name)

    def get_catalog_name(self) -> str:
        """The name of the catalog, without quotes."""
        return self.catalog_name

    def get_database_name(self) -> str:
        """The name of the database, without quotes."""
        return self.database_name

    def get_object_name(self) -> str:
        """The name in the database."""
        return self.object_name

    def to_object_path(self) -> ObjectPath:
        """The identifier without the catalog."""
        return ObjectPath(self.database_name, self.object_name)

    def to_list(self) -> list[str]:
        """The names of catalog, database and object."""
        return [self.catalog_name, self.database_name, self.object_name]

    def as_serializable_string(self) -> str:
        """The parts in backticks, separated by dots."""
        return ".".join(map(quote_identifier, self.to_list()))

    def as_summary_string(self) -> str:
        """The parts, separated by dots."""
        return ".".join(self.to_list())

    def __str__(self) -> str:
        return self.as_serializable_string()
