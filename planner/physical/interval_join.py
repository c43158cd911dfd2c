"""Joins of rows whose times are close: watermarks, or the clock, clean their state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import conjunction
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.timed import IntervalJoin, TimeBounds
from compiled_plan.planner.physical.base import (
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    any_distribution,
    lowers,
    make,
)
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.equi_keys import JOIN_TITLES, EquiKeys, equi_keys
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.python_conditions import python_above
from compiled_plan.planner.physical.requirements import require_insert_only
from compiled_plan.planner.physical.traits import NO_KEYS, Keys, ModifyKinds, Traits
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalBounds, IntervalJoinSpec
from compiled_plan.plans.nodes.join import IntervalJoin as IntervalJoinNode
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.rex import RexNode, calls_python
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class PhysicalIntervalJoin(PhysicalOperator):
    """A join of two insert-only streams within an interval of time; insert-only, whatever its kind."""

    left: PhysicalOperator
    right: PhysicalOperator
    kind: JoinKind
    condition: RexNode
    bounds: TimeBounds
    keys: EquiKeys
    columns: RowType

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def row_type(self) -> RowType:
        return self.columns

    @property
    def needs_watermark(self) -> bool:
        return self.bounds.rowtime

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return ModifyKinds.INSERT

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return NO_KEYS

    def plan_node(self, at: NodeContext) -> PlanNode:
        spec = make(JoinSpec)(
            join_type=self.kind.value,
            left_keys=self.keys.left,
            right_keys=self.keys.right,
            filter_nulls=self.keys.filter_nulls,
            non_equi_condition=conjunction(self.keys.rest) if self.keys.rest else None,
        )
        bounds = make(IntervalBounds)(
            is_event_time=self.bounds.rowtime,
            left_lower_bound=self.bounds.lower,
            left_upper_bound=self.bounds.upper,
            left_time_index=self.bounds.left,
            right_time_index=self.bounds.right,
        )
        return make(IntervalJoinNode)(
            id=at.id,
            interval_join_spec=make(IntervalJoinSpec)(join_spec=spec, window_bounds=bounds),
            input_properties=any_distribution(2),
            output_type=self.row_type,
            description=self.title(),
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
        left=PhysicalExchange(left, keys.left if keys.left else None),
        right=PhysicalExchange(right, keys.right if keys.right else None),
        kind=rel.kind,
        condition=rel.condition,
        bounds=rel.bounds,
        keys=keys,
        columns=rel.row_type,
    )
