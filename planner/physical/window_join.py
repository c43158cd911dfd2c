"""Window joins of rows with attached windows, emitted at the end of each window.

Source: Flink's page "Window JOIN"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.algebra.windows import Attached, WindowJoin
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.joining import JOIN_TITLES, TwoSided, equi_keys
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.requirements import refuse_changes
from compiled_plan.planner.physical.traits import NO_KEYS, Keys, MiniBatchMode, ModifyKinds, Traits
from compiled_plan.planner.physical.windowing import batches_of, plan_windowing, time_zone, windowing_text
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import WindowJoin as WindowJoinNode
from compiled_plan.plans.rex import RexNode


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalWindowJoin(TwoSided):
    """Joins the rows of one window; `condition` are the remaining conjuncts."""

    GIVES = ModifyKinds.INSERT

    condition: RexNode
    left_windowing: Attached
    right_windowing: Attached

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys if self.kind in (JoinKind.SEMI, JoinKind.ANTI) else NO_KEYS

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.left_windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowJoinNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            join_spec=self.spec,
            left_windowing=plan_windowing(self.left_windowing),
            right_windowing=plan_windowing(self.right_windowing),
        )

    def title(self) -> str:
        left, right = self.left.row_type, self.right.row_type
        names = join_row_type(left, right, JoinKind.INNER).names
        return (
            f"WindowJoin(leftWindow=[{windowing_text(self.left_windowing, left.names)}], "
            f"rightWindow=[{windowing_text(self.right_windowing, right.names)}], "
            f"joinType=[{JOIN_TITLES[self.kind]}], where=[{rex_text(self.condition, names)}], "
            f"select=[{', '.join(self.columns.names)}])"
        )


@lowers(WindowJoin)
def _lower_window_join(rel: WindowJoin, at: OperatorPlanner) -> PhysicalOperator:
    left, right = at.lower(rel.left), at.lower(rel.right)
    for source in (left, right):
        refuse_changes("a window join", source, at)
    keys = equi_keys(rel.condition, len(rel.left.row_type.fields))
    return PhysicalWindowJoin(
        left=PhysicalExchange(left, keys.left),
        right=PhysicalExchange(right, keys.right),
        kind=rel.kind,
        condition=rel.condition,
        keys=keys,
        columns=rel.row_type,
        left_windowing=rel.left_windowing,
        right_windowing=rel.right_windowing,
    )
