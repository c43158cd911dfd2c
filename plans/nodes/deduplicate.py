"""Operators that store one row per key: deduplicate, changelog normalize."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import Inputs, StatefulNode, StateSlot
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.flink_state import FlinkMapping, Row, StateItem, key_types, row_text, row_types
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.model import Always, Bool, Enforcing, Int, OfInput
from compiled_plan.plans.nodes.rules import condition_faults, indices, same_as_input
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.temporal import is_rowtime


class Deduplicate(LateRowsNode, StatefulNode):
    """The first or last row of each key, by processing time or rowtime."""

    NAME = "stream-exec-deduplicate"
    TRANSFORMATION = "deduplicate"
    STATE = (StateSlot("deduplicateState", 0),)

    unique_keys: Enforcing[OfInput[tuple[Int, ...]]]
    is_rowtime: Enforcing[Bool]
    keep_last_row: Enforcing[Bool]
    #: Absent in plans of Flink before 2.1, whose keep-first by rowtime sends updates.
    output_insert_only: Always[Enforcing[Bool]] = False
    generate_update_before: Bool

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from indices(self.unique_keys, inputs.types, ("uniqueKeys",))
        timed = any(is_rowtime(type_) for type_ in inputs.types)
        if self.is_rowtime and not timed:
            message = "it goes by rowtime, and no column of its input has a watermark"
            yield Fault(("isRowtime",), message, "set `isRowtime` to false", True)
        yield from same_as_input(self.output_type, inputs)

    @property
    def waits_for_watermarks(self) -> bool:
        """True if the first row of a key is sent when the watermark passes it, and never replaced."""
        return bool(self.is_rowtime and self.output_insert_only and not self.keep_last_row)

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        times = [at for at, type_ in enumerate(rows[0].types) if is_rowtime(type_)]
        return {0: times[0]} if self.waits_for_watermarks and times else {}

    @property
    def title(self) -> str:
        return one_row(self.keep_last_row)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        if not self.keep_last_row and (not self.is_rowtime or self.waits_for_watermarks):
            return ChangelogMode.INSERT
        return ChangelogMode.ALL if self.generate_update_before else ChangelogMode.UPSERT

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping(states=("deduplicate-state", "waiting-to-emit-on-timer", "already-emitted-state-boolean"))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        first = not self.is_rowtime and not self.keep_last_row
        yield key_types(rows[0], self.unique_keys)
        yield StateItem("what is kept", "that there was one" if first else f"a row of {row_text(rows[0])}")


class ChangelogNormalize(StatefulNode):
    """Conversion of an upsert stream to a changelog: adds the rows before updates, drops repeated events."""

    NAME = "stream-exec-changelog-normalize"
    TITLE = "Latest row of {of}{by}"
    TRANSFORMATION = "changelog-normalize"
    STATE = (StateSlot("changelogNormalizeState", 0),)
    TAIL: ClassVar[tuple[str, ...]] = ("filter_condition",)

    unique_keys: Enforcing[OfInput[tuple[Int, ...]]]
    generate_update_before: Bool
    filter_condition: Enforcing[RexJson | None] = None

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from indices(self.unique_keys, inputs.types, ("uniqueKeys",))
        if not self.unique_keys:
            yield Fault(("uniqueKeys",), "there are no unique keys", "name the columns of the primary key", [])
        yield from condition_faults(self.filter_condition, inputs.types, ("filterCondition",))
        yield from same_as_input(self.output_type, inputs)

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.ALL if self.generate_update_before else ChangelogMode.UPSERT

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return self.sends(received[0])

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping(states=("deduplicate-state",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.unique_keys)
        yield from row_types(rows)


def one_row(keep_last_row: bool) -> str:
    """The title of an operator that stores one row per key."""
    return f"Keep {'last' if keep_last_row else 'first'} row{{for_each}}"
