"""Joins of rows whose times are close: watermarks, or the clock, clean their state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.algebra.expressions import conjunction
from planner.algebra.nodes import Join, JoinKind
from planner.physical.base import NO_KEYS, Emission, Facts, Keys, Kinds, Lowering, Operator, any_distribution, make
from planner.physical.describe import rex_text
from planner.physical.equi_keys import JOIN_TITLES, EquiKeys, equi_keys
from planner.physical.plumbing import Exchange
from planner.physical.requirements import require_insert_only
from planner.rules.interval_joins import Interval
from plans.nodes.base import PlanNode
from plans.nodes.join import IntervalBounds, IntervalJoinSpec
from plans.nodes.join import IntervalJoin as IntervalJoinNode
from plans.nodes.specs import JoinSpec
from plans.rex import RexNode
from plans.types import RowType


@dataclass(frozen=True, slots=True)
class TimedJoin(Operator):
    """A join of two insert-only streams within an interval of time; insert-only, whatever its kind."""

    left: Operator
    right: Operator
    kind: JoinKind
    condition: RexNode
    interval: Interval
    keys: EquiKeys
    columns: RowType

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def row_type(self) -> RowType:
        return self.columns

    @property
    def needs_watermark(self) -> bool:
        return self.interval.rowtime

    def kinds(self, inputs: tuple[Facts, ...]) -> Kinds:
        return Kinds.INSERT

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        return NO_KEYS

    def plan_node(self, at: Emission) -> PlanNode:
        spec = make(JoinSpec)(
            join_type=self.kind.value,
            left_keys=self.keys.left,
            right_keys=self.keys.right,
            filter_nulls=self.keys.filter_nulls,
            non_equi_condition=conjunction(self.keys.rest) if self.keys.rest else None,
        )
        interval = self.interval
        bounds = make(IntervalBounds)(
            is_event_time=interval.rowtime,
            left_lower_bound=interval.lower,
            left_upper_bound=interval.upper,
            left_time_index=interval.left,
            right_time_index=interval.right,
        )
        return make(IntervalJoinNode)(
            id=at.id,
            interval_join_spec=make(IntervalJoinSpec)(join_spec=spec, window_bounds=bounds),
            input_properties=any_distribution(2),
            output_type=self.row_type,
            description=self.title(),
        )

    def title(self) -> str:
        names, interval = self.columns.names, self.interval
        bounds = (
            f"isRowTime={str(interval.rowtime).lower()}, leftLowerBound={interval.lower}, "
            f"leftUpperBound={interval.upper}, leftTimeIndex={interval.left}, rightTimeIndex={interval.right}"
        )
        where = rex_text(self.condition, names)
        return (
            f"IntervalJoin(joinType=[{JOIN_TITLES[self.kind]}], windowBounds=[{bounds}], where=[{where}], "
            f"select=[{', '.join(names)}])"
        )


def timed_join(rel: Join, interval: Interval, at: Lowering) -> Operator:
    """The operator of a join whose times bound each other.

    Raises:
        ProgramError: an input's rows change.
    """
    left, right = at.lower(rel.left), at.lower(rel.right)
    for source in (left, right):
        require_insert_only("IntervalJoin", source, at)
    keys = equi_keys(conjunction(interval.rest), len(rel.left.row_type.fields))
    return TimedJoin(
        left=Exchange(left, keys.left if keys.left else None),
        right=Exchange(right, keys.right if keys.right else None),
        kind=rel.kind,
        condition=rel.condition,
        interval=interval,
        keys=keys,
        columns=rel.row_type,
    )
