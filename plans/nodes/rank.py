"""Top-n: rank, limit, sort with limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs, StatefulNode, StateSlot
from compiled_plan.plans.nodes.flink_state import FlinkMapping, Row, StateItem, key_types, row_types, types_at, unsure
from compiled_plan.plans.nodes.model import Bool, Enforcing
from compiled_plan.plans.nodes.ranks import (
    RankRange,
    RankStrategy,
    RankType,
    Retract,
    Undefined,
    UpdateFast,
    range_faults,
)
from compiled_plan.plans.nodes.rules import ROW_NUMBER, indices, order, partition, same_as_input
from compiled_plan.plans.nodes.specs import PartitionSpec, SortSpec
from compiled_plan.plans.types.changelog import ChangelogMode

RANK_STATE = (StateSlot("rankState", 0),)


class Rank(StatefulNode):
    """The first rows of each partition by an order."""

    NAME = "stream-exec-rank"
    TITLE = "First {ranks} of {of}{for_each}"
    TRANSFORMATION = "rank"
    STATE = RANK_STATE

    rank_type: Enforcing[RankType]
    partition: Enforcing[PartitionSpec]
    order_by: Enforcing[SortSpec]
    rank_range: Enforcing[RankRange]
    rank_strategy: Enforcing[RankStrategy]
    output_row_number: Bool
    generate_update_before: Bool

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from partition(self.partition, inputs.types, ("partition",))
        yield from order(self.order_by, inputs.types, ("orderBy",))
        yield from range_faults(self.rank_range, inputs.types, ("rankRange",))
        if isinstance(self.rank_strategy, UpdateFast):
            keys = self.rank_strategy.primary_keys
            yield from indices(keys, inputs.types, ("rankStrategy", "primaryKeys"))
            if not keys:
                yield Fault(("rankStrategy", "primaryKeys"), "there are no primary keys", "name columns", [])
        if self.rank_type != "ROW_NUMBER":
            yield refusal(("rankType",), f"{self.rank_type} in a streaming top-n", "rank with ROW_NUMBER")
        if isinstance(self.rank_strategy, Undefined):
            yield refusal(("rankStrategy",), "a top-n whose strategy is not decided", "compile the program again")
        yield from same_as_input(self.output_type, inputs, (ROW_NUMBER,) if self.output_row_number else ())

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return ChangelogMode.ALL if self.generate_update_before else ChangelogMode.UPSERT

    @property
    def flink_mapping(self) -> FlinkMapping:
        states = {
            "AppendFast": ("data-state-with-append", "Top1-Rank-State", "counterState"),
            "UpdateFast": ("data-state-with-update", "Top1-Rank-State"),
        }.get(self.rank_strategy.type, ("data-state", "sorted-map"))
        return FlinkMapping("the rows of each key are sorted by the plan's order", states=("rankEnd", *states))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.partition.fields)
        yield from self._ranked(rows)

    def _ranked(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """The state of a rank. The number of ranks does not affect it, except for a single one, stored differently."""
        strategy, range_ = self.rank_strategy, self.rank_range
        retracts = isinstance(strategy, Retract)
        single = getattr(range_, "start", 0) == getattr(range_, "end", 0) == 1 and not retracts
        yield from row_types(rows)
        yield StateItem("strategy", unsure("", strategy).value + (" of one row" if single else ""), sure=False)
        # A sorted map of rows includes its comparator.
        columns = types_at(rows[0], [field.index for field in self.order_by.fields])
        yield unsure("order", self.order_by) if retracts else StateItem("order", columns, sure=False)
        yield StateItem("range of ranks", range_.type, sure=False)


class SortLimit(Rank):
    """`ORDER BY ... LIMIT`: a rank over all rows."""

    NAME = "stream-exec-sort-limit"
    TITLE = "First rows of {of}"
    ORDER: ClassVar[tuple[str, ...]] = ("order_by", "rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "output_row_number")

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return self._ranked(rows)


class Limit(Rank):
    """`LIMIT` without an order: any rows."""

    NAME = "stream-exec-limit"
    TITLE = "First rows of {of}"
    ORDER: ClassVar[tuple[str, ...]] = ("rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "order_by", "output_row_number")

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return self._ranked(rows)
