"""The relation of a `Table`, with the keys that identify its columns in later operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.planner.sql.binding.from_clause import From
from compiled_plan.planner.sql.binding.scopes import Relation, columns_of

_NUMBERS = count(1)


def new_key() -> str:
    """A key that no other table has. It never occurs in plans."""
    return f"#{next(_NUMBERS)}"


@dataclass(frozen=True)
class Rows(From):
    """The relation of a `Table`.

    Args:
        keys: the keys of this table, and of its source tables with the same columns at the same indices.
        name: its catalog name, which hints refer to; empty without one.

    A relation's path holds its keys, then its name.
    """

    keys: tuple[str, ...] = ()
    name: str = ""

    @property
    def alias(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def joined(self) -> bool:
        """Return True if it has the columns of several tables, each with its own key."""
        return len(self.relations) > 1

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, which may repeat."""
        return tuple(column.name for column in self.visible)

    def with_rel(self, rel: RelNode) -> Rows:
        """The same columns over other rows, as a new table."""
        key = new_key()
        keys = (*self.keys, key)
        if self.joined:
            return replace(self, rel=rel, keys=keys)
        return rows(Bound(rel, self.names), self.name, keys)

    def for_join(self) -> Rows:
        """The rows as an input of a join; the columns of a joined table also get that table's keys."""
        if not self.joined:
            return self
        return replace(self, relations=(*self.relations, Relation((*self.keys, ""), self.visible)))


@dataclass(frozen=True)
class Origin:
    """The catalog table that a `Table` is, as long as only hints were applied to it.

    Args:
        path: its name as the program wrote it.
        table: its declaration.
        options: the options of OPTIONS hints, which override its own.
    """

    path: tuple[str, ...]
    table: CatalogTable
    options: tuple[tuple[str, str], ...] = ()


def rows(bound: Bound, name: str = "", keys: Sequence[str] = ()) -> Rows:
    """A bound query as the relation of a table."""
    keys = tuple(keys) or (new_key(),)
    columns = columns_of(bound.names)
    return Rows(bound.rel, (Relation((*keys, name), columns),), columns, keys, name)


def joined_rows(source: From) -> Rows:
    """A bound join as the relation of a table."""
    return Rows(source.rel, source.relations, source.visible, (new_key(),))
