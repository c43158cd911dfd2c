"""Changelog modes: the kinds of rows that a stream may hold."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Flag

#: The kind DELETE in a plan where rows that delete need no more than the columns of the key.
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
        """The kinds in the order in which plans list them."""
        kinds = (ChangelogMode.INSERT, ChangelogMode.UPDATE_BEFORE, ChangelogMode.UPDATE_AFTER, ChangelogMode.DELETE)
        return [str(kind.name) for kind in kinds if kind in self]

    @property
    def insert_only(self) -> bool:
        """Whether no row is ever changed or taken back."""
        return self is ChangelogMode.INSERT
