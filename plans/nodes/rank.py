"""Top-n: rank, limit, sort with limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs, StatefulNode, StateSlot
from compiled_plan.plans.nodes.model import Bool, Enforcing
from compiled_plan.plans.nodes.ranks import RankRange, RankStrategy, RankType, Undefined, UpdateFast, range_faults
from compiled_plan.plans.nodes.rules import ROW_NUMBER, indices, order, partition, same_as_input
from compiled_plan.plans.nodes.specs import PartitionSpec, SortSpec

RANK_STATE = (StateSlot("rankState", 0),)


class Rank(StatefulNode):
    """The first rows of each partition by an order."""

    NAME = "stream-exec-rank"
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


class SortLimit(Rank):
    """`ORDER BY ... LIMIT`: a rank over all rows."""

    NAME = "stream-exec-sort-limit"
    ORDER: ClassVar[tuple[str, ...]] = ("order_by", "rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "output_row_number")


class Limit(Rank):
    """`LIMIT` without an order: any rows."""

    NAME = "stream-exec-limit"
    ORDER: ClassVar[tuple[str, ...]] = ("rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "order_by", "output_row_number")
