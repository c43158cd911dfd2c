"""Window table functions, which append the windows of each row to its columns.

Source: Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.windows import ByTime, WindowTable
from compiled_plan.planner.physical.base import NewColumns, NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.windowing import plan_windowing, time_zone, windowing_text
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import WindowTableFunction as WindowTableFunctionNode
from compiled_plan.plans.types import TimestampBase
from compiled_plan.plans.types.temporal import is_rowtime


@dataclass(frozen=True, slots=True)
class PhysicalWindowTableFunction(NewColumns):
    """Each row once for every window that it falls into, with the window appended."""

    windowing: ByTime

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowTableFunctionNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            windowing=plan_windowing(self.windowing),
        )

    @property
    def needs_watermark(self) -> bool:
        return is_rowtime(self.windowing.time)

    def title(self) -> str:
        return f"WindowTableFunction(window=[{windowing_text(self.windowing, self.input.row_type.names)}])"


@lowers(WindowTable)
def _lower_window_table(rel: WindowTable, at: OperatorPlanner) -> PhysicalOperator:
    source = at.lower(rel.input)
    time = rel.input.row_type.types[rel.index]
    assert isinstance(time, TimestampBase)
    if rel.window.is_session:
        source = PhysicalExchange(source, rel.window.partition)
    return PhysicalWindowTableFunction(source, ByTime(rel.window, time, rel.index), columns=rel.row_type)
