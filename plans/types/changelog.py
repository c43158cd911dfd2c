"""Changelog modes: the kinds of rows that a stream may hold."""

from __future__ import annotations

from enum import Flag


class ChangelogMode(Flag):
    """The kinds of rows in a changelog; the names are those of a plan's `inputChangelogMode`."""

    NONE = 0
    INSERT = 1
    UPDATE_BEFORE = 2
    UPDATE_AFTER = 4
    DELETE = 8
    UPSERT = INSERT | UPDATE_AFTER | DELETE
    ALL = INSERT | UPDATE_BEFORE | UPDATE_AFTER | DELETE

    def names(self) -> list[str]:
        """The kinds in the order in which plans list them."""
        kinds = (
            ChangelogMode.INSERT,
            ChangelogMode.UPDATE_BEFORE,
            ChangelogMode.UPDATE_AFTER,
            ChangelogMode.DELETE,
        )
        return [str(kind.name) for kind in kinds if kind in self]

    @property
    def insert_only(self) -> bool:
        """Whether no row is ever changed or taken back."""
        return self is ChangelogMode.INSERT
