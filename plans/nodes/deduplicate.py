"""Operators that keep one row a key: deduplicate, changelog normalize."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from plans.connectors.declarations import Changes
from plans.findings import Fault
from plans.nodes.base import Bool, Enforcing, Int, StatefulNode, StateSlot
from plans.nodes.fields import RexJson
from plans.nodes.rules import Inputs, condition_faults, indices, same_as_input
from plans.types import TimeKind, TimestampBase


class Deduplicate(StatefulNode):
    """The first or last row of each key, by processing time or rowtime."""

    NAME = "stream-exec-deduplicate"
    STATE = (StateSlot("deduplicateState", 0),)

    unique_keys: Enforcing[tuple[Int, ...]]
    is_rowtime: Enforcing[Bool]
    keep_last_row: Enforcing[Bool]
    output_insert_only: Enforcing[Bool]
    generate_update_before: Bool

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from indices(self.unique_keys, inputs.types, ("uniqueKeys",))
        timed = any(isinstance(type_, TimestampBase) and type_.kind is TimeKind.ROWTIME for type_ in inputs.types)
        if self.is_rowtime and not timed:
            message = "it goes by rowtime, and no column of its input has a watermark"
            yield Fault(("isRowtime",), message, "set `isRowtime` to false", True)
        yield from same_as_input(self.output_type, inputs)


class ChangelogNormalize(StatefulNode):
    """Adds the rows that updates replace to a stream that sends only the new ones, and drops repeated events."""

    NAME = "stream-exec-changelog-normalize"
    STATE = (StateSlot("changelogNormalizeState", 0),)
    TAIL: ClassVar[tuple[str, ...]] = ("filter_condition",)

    unique_keys: Enforcing[tuple[Int, ...]]
    generate_update_before: Bool
    filter_condition: Enforcing[RexJson | None] = None

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from indices(self.unique_keys, inputs.types, ("uniqueKeys",))
        if not self.unique_keys:
            yield Fault(("uniqueKeys",), "there are no unique keys", "name the columns of the primary key", [])
        yield from condition_faults(self.filter_condition, inputs.types, ("filterCondition",))
        yield from same_as_input(self.output_type, inputs)

    def sends(self, received: Changes) -> Changes:
        return Changes.UPSERT | (Changes.UPDATE_BEFORE if self.generate_update_before else Changes.NONE)
