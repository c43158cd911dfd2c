"""Interval joins: watermarks or the clock expire their state."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import conjunction
from compiled_plan.planner.algebra.timed import IntervalJoin, TimeBounds
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.joining import JOIN_TITLES, TwoSided, equi_keys
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.python_conditions import python_above
from compiled_plan.planner.physical.requirements import require_insert_only
from compiled_plan.planner.physical.traits import ModifyKinds
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalBounds, IntervalJoinSpec
from compiled_plan.plans.nodes.join import IntervalJoin as IntervalJoinNode
from compiled_plan.plans.rex import RexNode, calls_python


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalIntervalJoin(TwoSided):
    """A join of two insert-only streams within a time interval; insert-only for every join kind."""

    GIVES = ModifyKinds.INSERT

    condition: RexNode
    bounds: TimeBounds

    @property
    def needs_watermark(self) -> bool:
        return self.bounds.rowtime

    def plan_node(self, at: NodeContext) -> PlanNode:
        bounds = make(IntervalBounds)(
            is_event_time=self.bounds.rowtime,
            left_lower_bound=self.bounds.lower,
            left_upper_bound=self.bounds.upper,
            left_time_index=self.bounds.left,
            right_time_index=self.bounds.right,
        )
        return make(IntervalJoinNode)(
            **self.header(at),
            interval_join_spec=make(IntervalJoinSpec)(join_spec=self.spec, window_bounds=bounds),
        )

    def title(self) -> str:
        names, within = self.columns.names, self.bounds
        bounds = (
            f"isRowTime={str(within.rowtime).lower()}, leftLowerBound={within.lower}, "
            f"leftUpperBound={within.upper}, leftTimeIndex={within.left}, rightTimeIndex={within.right}"
        )
        where = rex_text(self.condition, names)
        return (
            f"IntervalJoin(joinType=[{JOIN_TITLES[self.kind]}], windowBounds=[{bounds}], where=[{where}], "
            f"select=[{', '.join(names)}])"
        )


@lowers(IntervalJoin)
def _lower_interval_join(rel: IntervalJoin, at: OperatorPlanner) -> PhysicalOperator:
    if calls_python(rel.condition):
        return python_above(rel, at)
    left, right = at.lower(rel.left), at.lower(rel.right)
    for source in (left, right):
        require_insert_only("IntervalJoin", source, at)
    keys = equi_keys(conjunction(rel.bounds.rest), len(rel.left.row_type.fields))
    return PhysicalIntervalJoin(
        left=PhysicalExchange(left, keys.left),
        right=PhysicalExchange(right, keys.right),
        kind=rel.kind,
        condition=rel.condition,
        bounds=rel.bounds,
        keys=keys,
        columns=rel.row_type,
    )
