"""The primary key of a resolved schema.

Source: PyFlink's `Constraint`, `UniqueConstraint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from compiled_plan.plans.types import quote_identifier


class KeyType(Enum):
    """Kinds of constraints, of which Flink has one."""

    PRIMARY_KEY = 0
    UNIQUE_KEY = 1


@dataclass(frozen=True)
class UniqueConstraint:
    """A primary key, which is not enforced."""

    ConstraintType = KeyType

    name: str
    columns: tuple[str, ...]

    @staticmethod
    def primary_key(name: str, columns: Sequence[str]) -> UniqueConstraint:
        """A primary key of these columns."""
        return UniqueConstraint(name, tuple(columns))

    def get_name(self) -> str:
        """The name of the constraint, without quotes."""
        return self.name

    def get_columns(self) -> list[str]:
        """The names of the key's columns, in order."""
        return list(self.columns)

    def get_type(self) -> KeyType:
        """The kind of the constraint: always PRIMARY_KEY."""
        return KeyType.PRIMARY_KEY

    def get_type_string(self) -> str:
        """The kind in SQL: always `PRIMARY KEY`."""
        return "PRIMARY KEY"

    def is_enforced(self) -> bool:
        """Return False: keys are not enforced."""
        return False

    def as_summary_string(self) -> str:
        """The declaration in one line: `CONSTRAINT name PRIMARY KEY (columns) NOT ENFORCED`."""
        keys = ", ".join(map(quote_identifier, self.columns))
        return f"CONSTRAINT {quote_identifier(self.name)} PRIMARY KEY ({keys}) NOT ENFORCED"

    def __str__(self) -> str:
        return self.as_summary_string()


#: There are no other constraints.
Constraint = UniqueConstraint
