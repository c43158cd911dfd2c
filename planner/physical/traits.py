"""What is known of an operator's output: its changes, its keys, how its columns move. And arithmetic of keys.

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
    """Which changes may occur in a changelog."""

    INSERT = 1
    UPDATE = 2
    DELETE = 4
    ALL = INSERT | UPDATE | DELETE

    @property
    def insert_only(self) -> bool:
        """Whether rows are only ever added."""
        return self is ModifyKinds.INSERT

    @property
    def updates(self) -> bool:
        """Whether rows may be updated."""
        return ModifyKinds.UPDATE in self


class UpdateKind(Enum):
    """How an update is sent: not at all, the new row alone, or the old row and the new one."""

    NONE = "NONE"
    AFTER = "AFTER"
    BOTH = "BOTH"


def row_kinds(kinds: ModifyKinds, updates: UpdateKind) -> tuple[RowKind, ...]:
    """The kinds of rows by which changes are sent, as nodes list them."""
    sent_kinds: list[RowKind] = ["INSERT"]
    if kinds.updates:
        sent_kinds += ["UPDATE_BEFORE", "UPDATE_AFTER"] if updates is UpdateKind.BOTH else ["UPDATE_AFTER"]
    if ModifyKinds.DELETE in kinds:
        sent_kinds.append("DELETE")
    return tuple(sent_kinds)


class MiniBatchMode(Enum):
    """How the rows of a mini-batch are told: by the clock, by watermarks; or not at all."""

    PROCTIME = "ProcTime"
    ROWTIME = "RowTime"
    NONE = "None"


class Monotonicity(Enum):
    """How a column's value moves when its row is updated."""

    CONSTANT = "CONSTANT"
    INCREASING = "INCREASING"
    DECREASING = "DECREASING"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of the output of one operator: its changes, its upsert keys, how its columns move.

    `local_keys` are upsert keys among the rows that an exchange has brought together; one may lack its columns.
    """

    modify_kinds: ModifyKinds
    upsert_keys: Keys
    local_keys: Keys
    monotonicity: tuple[Monotonicity, ...]


def map_keys(keys: Keys, mapping: Mapping[int, int]) -> Keys:
    """The keys all of whose columns are still there, over the new columns."""
    return frozenset(
        frozenset(mapping[index] for index in key) for key in keys if all(index in mapping for index in key)
    )


def keys_within(keys: Keys, columns: Key) -> Keys:
    """The keys that hold all of `columns`.

    Rows are spread by `columns`: changes of one row stay in order only under a key that holds them.
    """
    return frozenset(key for key in keys if columns <= key)


def smallest(keys: Keys) -> Key | None:
    """The key of the fewest columns, of those the leftmost; None when there is none."""
    return min(keys, key=lambda key: (len(key), sorted(key)), default=None)


def listed_keys(keys: Keys) -> tuple[tuple[int, ...], ...]:
    """The keys in the order in which plans list them, the smallest first."""
    return tuple(tuple(sorted(key)) for key in sorted(keys, key=lambda key: (len(key), sorted(key))))
