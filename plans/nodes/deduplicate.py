"""Operators that keep one row a key: deduplicate, changelog normalize."""

from __future__ import annotations

from typing import ClassVar

from plans.nodes.base import Bool, Enforcing, Int, StatefulNode, StateSlot
from plans.nodes.fields import RexJson


class Deduplicate(StatefulNode):
    """The first or last row of each key, by processing time or rowtime."""

    NAME = "stream-exec-deduplicate"
    STATE = (StateSlot("deduplicateState", 0),)

    unique_keys: Enforcing[tuple[Int, ...]]
    is_rowtime: Enforcing[Bool]
    keep_last_row: Enforcing[Bool]
    output_insert_only: Enforcing[Bool]
    generate_update_before: Bool


class ChangelogNormalize(StatefulNode):
    """Adds the rows that updates replace to a stream that sends only the new ones, and drops repeated events."""

    NAME = "stream-exec-changelog-normalize"
    STATE = (StateSlot("changelogNormalizeState", 0),)
    TAIL: ClassVar[tuple[str, ...]] = ("filter_condition",)

    unique_keys: Enforcing[tuple[Int, ...]]
    generate_update_before: Bool
    filter_condition: Enforcing[RexJson | None] = None
