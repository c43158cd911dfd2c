"""`ChangelogMode`: kinds of rows in a changelog.

Source: PyFlink's class of this name.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.types.row import RowKind


@dataclass(frozen=True)
class ChangelogMode:
    """The kinds of rows that a changelog may hold."""

    kinds: frozenset[RowKind]

    @staticmethod
    def insert_only() -> ChangelogMode:
        """The mode of a table that only inserts rows."""
        return ChangelogMode(frozenset({RowKind.INSERT}))

    @staticmethod
    def upsert() -> ChangelogMode:
        """Rows of all kinds but UPDATE_BEFORE."""
        return ChangelogMode(frozenset(RowKind) - {RowKind.UPDATE_BEFORE})

    @staticmethod
    def all() -> ChangelogMode:
        """The mode with all four kinds: inserts, both halves of updates, deletes."""
        return ChangelogMode(frozenset(RowKind))
