"""Top-n window by window, as each ends.

Source: Flink's page "Window Top-N"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from compiled_plan.planner.algebra.nodes import SortKey
from compiled_plan.planner.algebra.windows import Attached, WindowRank
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text, order_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import range_text, rank_range, sort_spec
from compiled_plan.planner.physical.requirements import refuse_changes
from compiled_plan.planner.physical.traits import Key, Keys, MiniBatchMode, ModifyKinds, Traits
from compiled_plan.planner.physical.windowing import (
    batches_of,
    plan_windowing,
    time_zone,
    windowing_text,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.ranks import RankType
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.nodes.window import WindowRank as WindowRankNode


@dataclass(frozen=True, slots=True)
class PhysicalWindowRank(NewColumns):
    """Per window and partition, the rows ranked `start` to `end`."""

    GIVES = ModifyKinds.INSERT

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int | None
    windowing: Attached
    function: str

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        found = set(inputs[0].upsert_keys)
        if len(self.columns.fields) > len(self.input.row_type.fields):
            rank = len(self.columns.fields) - 1
            found |= {Key((*self.partition, side, rank)) for side in (self.windowing.start, self.windowing.end)}
        return frozenset(found)

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowRankNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            rank_type=cast("RankType", self.function),
            partition_spec=make(PartitionSpec)(fields=self.partition),
            sort_spec=sort_spec(self.order),
            rank_range=rank_range(self.start, self.end),
            output_row_number=len(self.columns.fields) > len(self.input.row_type.fields),
            windowing=plan_windowing(self.windowing),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        return (
            f"WindowRank(window=[{windowing_text(self.windowing, names)}], rankType=[{self.function}], "
            f"rankRange=[{range_text(self.start, self.end)}], partitionBy=[{names_text(self.partition, names)}], "
            f"orderBy=[{order_text(self.order, names)}], select=[{', '.join(self.columns.names)}])"
        )


@lowers(WindowRank)
def _lower_window_rank(rel: WindowRank, at: OperatorPlanner) -> PhysicalOperator:
    if rel.function != "ROW_NUMBER":
        raise unsupported(f"{rel.function}() as a window top-n", remedy="use ROW_NUMBER()")
    source = at.lower(rel.input)
    refuse_changes("a window top-n", source, at)
    partition = tuple(sorted(rel.partition))
    spread = PhysicalExchange(source, partition)
    return PhysicalWindowRank(
        spread, partition, rel.order, rel.start, rel.end, rel.windowing, rel.function, columns=rel.columns
    )
