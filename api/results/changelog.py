"""A changelog as the table that it produces, and as a table of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import Field, RowType, VarCharType
from compiled_plan.plans.types.row import RowKind

#: Kinds of changes after which a row is there.
ADDS = frozenset((RowKind.INSERT.value, RowKind.UPDATE_AFTER.value))
_KINDS = tuple(RowKind)


def as_table(chunks: Sequence[Chunk], width: int) -> Chunk:
    """The rows that remain after all changes, in the order of their last insertion.

    Args:
        chunks: changes in order, with UPDATE_BEFORE rows.
    """
    places: dict[Any, list[int]] = {}
    rows: list[tuple[Any, ...] | None] = []
    for chunk in chunks:
        for kind, row in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
            same = places.setdefault(_key(row), [])
            if kind in ADDS:
                same.append(len(rows))
                rows.append(row)
            elif same:
                rows[same.pop()] = None
    left = [row for row in rows if row is not None]
    return Chunk([0] * len(left), [[row[at] for row in left] for at in range(width)])


def as_changes(row_type: RowType, chunks: Sequence[Chunk]) -> tuple[RowType, list[Chunk]]:
    """The changes as rows, with their kind in a first column `op`: `+I`, `-U`, `+U`, `-D`."""
    op = Field("op", VarCharType(length=2, nullable=False))
    changes = [
        Chunk([0] * len(chunk.kinds), [[_KINDS[kind].short for kind in chunk.kinds], *chunk.columns])
        for chunk in chunks
    ]
    return RowType(fields=(op, *row_type.fields)), changes


def _key(value: Any) -> Any:
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
