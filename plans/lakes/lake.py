"""The interface of lakes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LakeSchema:
    """The schema of a table of a lake.

    Args:
        struct: its columns as Spark has them, in the JSON form of Spark's types.
        primary_key: the names of its identifying columns.
        partition_keys: the names of the columns by whose values it is partitioned.
    """

    struct: Mapping[str, object]
    primary_key: tuple[str, ...] = ()
    partition_keys: tuple[str, ...] = ()


class Lake(ABC):
    """The tables of a lake, as a library reads them.

    Methods raise ProgramError if the lake cannot be read, and name the reason and a remedy.
    """

    @abstractmethod
    def databases(self) -> list[str]:
        """The names of the databases."""

    @abstractmethod
    def has_database(self, name: str) -> bool:
        """Return True if there is a database of that name."""

    @abstractmethod
    def tables(self, database: str) -> list[str]:
        """The names of the tables of a database; empty if it does not exist."""

    @abstractmethod
    def schema(self, database: str, table: str) -> LakeSchema | None:
        """The schema of a table; None if it does not exist."""
