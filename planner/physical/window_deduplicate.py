"""Window deduplication, emitted at the end of each window.

Source: Flink's page "Window Deduplication"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.windows import Attached, WindowDeduplicate
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, Single, lowers, make
from compiled_plan.planner.physical.describe import names_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.requirements import refuse_changes
from compiled_plan.planner.physical.traits import MiniBatchMode, ModifyKinds
from compiled_plan.planner.physical.windowing import batches_of, plan_windowing, time_zone, windowing_text
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import WindowDeduplicate as WindowDeduplicateNode
from compiled_plan.plans.types import TimeKind, TimestampBase


@dataclass(frozen=True, slots=True)
class PhysicalWindowDeduplicate(Single):
    """Per window and key, the first or last row by a time attribute."""

    GIVES = ModifyKinds.INSERT

    keys: tuple[int, ...]
    order: int
    keep_last: bool
    windowing: Attached

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowDeduplicateNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            partition_keys=self.keys,
            order_key=self.order,
            keep_last_row=self.keep_last,
            windowing=plan_windowing(self.windowing),
        )

    def title(self) -> str:
        row = self.row_type
        type_ = row.types[self.order]
        time = type_.kind if isinstance(type_, TimestampBase) else TimeKind.PROCTIME
        keys = names_text(self.keys, row.names)
        return (
            f"WindowDeduplicate(window=[{windowing_text(self.windowing, row.names)}], "
            f"keep=[{'LastRow' if self.keep_last else 'FirstRow'}], partitionKeys=[{keys}], "
            f"orderKey=[{row.names[self.order]}], order=[{time.value}])"
        )


@lowers(WindowDeduplicate)
def _lower_window_deduplicate(rel: WindowDeduplicate, at: OperatorPlanner) -> PhysicalOperator:
    source = at.lower(rel.input)
    refuse_changes("a window deduplication", source, at)
    keys = tuple(sorted(rel.keys))
    spread = PhysicalExchange(source, keys)
    return PhysicalWindowDeduplicate(spread, keys, rel.order, rel.keep_last, rel.windowing)
