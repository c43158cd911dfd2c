"""A changelog as the table that it produces, and as a table of changes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import Field, RowType, VarCharType
from compiled_plan.plans.types.row import RowKind

#: Kinds of changes after which a row is there.
ADDS = frozenset((RowKind.INSERT.value, RowKind.UPDATE_AFTER.value))
_KINDS = tuple(RowKind)


class ChangelogTable:
    """The table that a changelog with UPDATE_BEFORE rows produces, change by change.

    Args:
        in_place: an updated row stays at its place; otherwise rows are in the order of their last insertion.
        most: the maximum number of rows, of which the last inserted stay; None for no maximum.
    """

    def __init__(self, *, in_place: bool = False, most: int | None = None) -> None:
        self._rows: dict[int, tuple[object, ...] | None] = {}
        self._places: dict[object, list[int]] = {}
        self._updated: deque[int] = deque()
        self._next = 0
        self._in_place, self._most = in_place, most

    def apply(self, chunk: Chunk) -> None:
        """Apply changes to the table, in their order."""
        for kind, row in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
            if kind in ADDS:
                self._add(row, kind)
            else:
                self._remove(row, kind)

    def rows(self) -> list[tuple[object, ...]]:
        """The rows of the table."""
        return [row for row in self._rows.values() if row is not None]

    def __len__(self) -> int:
        return len(self._rows) - len(self._updated)

    def _add(self, row: tuple[object, ...], kind: int) -> None:
        if kind == RowKind.UPDATE_AFTER.value and self._updated:
            place = self._updated.popleft()
        else:
            place, self._next = self._next, self._next + 1
        self._rows[place] = row
        self._places.setdefault(_key(row), []).append(place)
        if self._most is not None and len(self._rows) > self._most:
            first = next(iter(self._rows))
            evicted = self._rows.pop(first)
            if evicted is None:
                self._updated.remove(first)
            else:
                self._forget(_key(evicted), first)

    def _remove(self, row: tuple[object, ...], kind: int) -> None:
        key = _key(row)
        same = self._places.get(key)
        if not same:
            return
        place = same[-1]
        self._forget(key, place)
        if self._in_place and kind == RowKind.UPDATE_BEFORE.value:
            self._rows[place] = None
            self._updated.append(place)
        else:
            del self._rows[place]

    def _forget(self, key: object, place: int) -> None:
        same = self._places[key]
        same.remove(place)
        if not same:
            del self._places[key]


def as_table(chunks: Iterable[Chunk], width: int) -> Chunk:
    """The rows that remain after all changes, in the order of their last insertion.

    Args:
        chunks: changes in order, with UPDATE_BEFORE rows.
    """
    table = ChangelogTable()
    for chunk in chunks:
        table.apply(chunk)
    rows = table.rows()
    return Chunk([0] * len(rows), [[row[at] for row in rows] for at in range(width)])


def as_changes(row_type: RowType, chunks: Sequence[Chunk]) -> tuple[RowType, list[Chunk]]:
    """The changes as rows, with their kind in a first column: `+I`, `-U`, `+U`, `-D`.

    The column is named `op`; `_op` if the rows have a column `op`.
    """
    name = "op"
    while name in row_type.names:
        name = f"_{name}"
    op = Field(name, VarCharType(length=2, nullable=False))
    changes = [
        Chunk([0] * len(chunk.kinds), [[_KINDS[kind].short for kind in chunk.kinds], *chunk.columns])
        for chunk in chunks
    ]
    return RowType(fields=(op, *row_type.fields)), changes


def _key(value: object) -> object:
    """A dictionary key by which NaN equals itself, -0.0 differs from 0.0, and True differs from 1."""
    match value:
        case tuple() | list():
            return tuple(map(_key, value))
        case dict():
            return frozenset(Counter((_key(key), _key(item)) for key, item in value.items()).items())
        case float():
            return repr(value)
        case bool():
            return repr(value)
    return value
