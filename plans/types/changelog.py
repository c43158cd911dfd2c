"""Changelog modes: the kinds of rows in a stream."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Flag

#: The kind DELETE in a plan if rows that delete need only the columns of the key.
DELETE_BY_KEY = "~DELETE"


class ChangelogMode(Flag):
    """The kinds of rows in a changelog; the names are those of a plan's `inputChangelogMode`."""

    NONE = 0
    INSERT = 1
    UPDATE_BEFORE = 2
    UPDATE_AFTER = 4
    DELETE = 8
    UPSERT = INSERT | UPDATE_AFTER | DELETE
    ALL = INSERT | UPDATE_BEFORE | UPDATE_AFTER | DELETE

    @classmethod
    def of(cls, names: Iterable[str]) -> ChangelogMode:
        """The mode of a plan's `inputChangelogMode`."""
        mode = cls.NONE
        for name in names:
            mode |= cls.DELETE if name == DELETE_BY_KEY else cls[name]
        return mode

    def names(self) -> list[str]:
        """The kinds in the order of plans."""
        kinds = (ChangelogMode.INSERT, ChangelogMode.UPDATE_BEFORE, ChangelogMode.UPDATE_AFTER, ChangelogMode.DELETE)
        return [str(kind.name) for kind in kinds if kind in self]

    @property
    def insert_only(self) -> bool:
        """True if rows are never updated or retracted."""
        return self is ChangelogMode.INSERT
