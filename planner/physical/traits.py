"""Traits of an operator's output: changes, keys, monotonicity. And operations on keys.

Source of the names: Flink's `ModifyKindSet`, `UpdateKind`, `RelModifiedMonotonicity` and `MiniBatchMode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, Flag

from compiled_plan.plans.nodes.specs import RowKind

Key = frozenset[int]
Keys = frozenset[Key]

NO_KEYS: Keys = frozenset()


class ModifyKinds(Flag):
    """Kinds of changes in a changelog."""

    INSERT = 1
    UPDATE = 2
    DELETE = 4
    ALL = INSERT | UPDATE | DELETE

    @property
    def insert_only(self) -> bool:
        """Return True if rows are never updated or deleted."""
        return self is ModifyKinds.INSERT

    @property
    def updates(self) -> bool:
        """Return True if rows may be updated."""
        return ModifyKinds.UPDATE in self


class UpdateKind(Enum):
    """Form of an update: not sent, the new row alone, or the old row and the new one."""

    NONE = "NONE"
    AFTER = "AFTER"
    BOTH = "BOTH"


def row_kinds(kinds: ModifyKinds, updates: UpdateKind) -> tuple[RowKind, ...]:
    """The row kinds of a changelog, in the order of plan nodes."""
    sent_kinds: list[RowKind] = ["INSERT"]
    if kinds.updates:
        sent_kinds += ["UPDATE_BEFORE", "UPDATE_AFTER"] if updates is UpdateKind.BOTH else ["UPDATE_AFTER"]
    if ModifyKinds.DELETE in kinds:
        sent_kinds.append("DELETE")
    return tuple(sent_kinds)


class MiniBatchMode(Enum):
    """Boundary of mini-batches: by the clock, by watermarks, or none."""

    PROCTIME = "ProcTime"
    ROWTIME = "RowTime"
    NONE = "None"


class Monotonicity(Enum):
    """Direction in which updates move a column's value."""

    CONSTANT = "CONSTANT"
    INCREASING = "INCREASING"
    DECREASING = "DECREASING"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of an operator's output: its changes, upsert keys and monotonicity.

    `local_keys` are upsert keys within the rows that an exchange sends to one task; they may lack its columns.
    """

    modify_kinds: ModifyKinds
    upsert_keys: Keys
    local_keys: Keys
    monotonicity: tuple[Monotonicity, ...]


def map_keys(keys: Keys, mapping: Mapping[int, int]) -> Keys:
    """The keys whose columns all remain, in terms of the new columns."""
    return frozenset(
        frozenset(mapping[index] for index in key) for key in keys if all(index in mapping for index in key)
    )


def keys_within(keys: Keys, columns: Key) -> Keys:
    """The keys that contain all of `columns`.

    Rows are partitioned by `columns`: changes of one row stay in order only under a key that contains them.
    """
    return frozenset(key for key in keys if columns <= key)


def smallest(keys: Keys) -> Key | None:
    """The key with the fewest columns, then the leftmost ones; None without keys."""
    return min(keys, key=lambda key: (len(key), sorted(key)), default=None)


def listed_keys(keys: Keys) -> tuple[tuple[int, ...], ...]:
    """The keys in the order of plans, the smallest first."""
    return tuple(tuple(sorted(key)) for key in sorted(keys, key=lambda key: (len(key), sorted(key))))
