"""Joins with state for each side: regular, multi-way, interval, temporal."""

from __future__ import annotations

from typing import Literal

from plans.nodes.base import SOME_INPUTS, TWO_INPUTS, Bool, Enforcing, Int, PlanModel, PlanNode, StatefulNode, StateSlot
from plans.nodes.fields import RexJson
from plans.nodes.specs import JoinSpec


class Join(StatefulNode):
    """Regular join of two changelogs; keeps the rows of both sides."""

    NAME = "stream-exec-join"
    INPUTS = TWO_INPUTS
    STATE = (StateSlot("leftState", 0), StateSlot("rightState", 1))

    join_spec: Enforcing[JoinSpec]
    left_upsert_keys: Enforcing[tuple[tuple[Int, ...], ...]] = ()
    right_upsert_keys: Enforcing[tuple[tuple[Int, ...], ...]] = ()


class JoinAttribute(PlanModel):
    """A pair of equal columns of two inputs of a multi-way join; -1 for none."""

    left_input_id: Int
    left_field_index: Int
    right_input_id: Int
    right_field_index: Int


class MultiJoin(StatefulNode):
    """Several joins on one common key in one operator."""

    NAME = "stream-exec-multi-join"
    INPUTS = SOME_INPUTS

    join_types: Enforcing[tuple[Literal["INNER", "LEFT"], ...]]
    join_conditions: Enforcing[tuple[RexJson | None, ...]]
    multi_join_condition: RexJson | None = None
    join_attribute_map: Enforcing[dict[str, tuple[JoinAttribute, ...]]]
    input_unique_keys: Enforcing[tuple[tuple[tuple[Int, ...], ...], ...]]

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return tuple(StateSlot(f"input-state-{index}", index) for index in range(input_count))


class IntervalBounds(PlanModel):
    """The left row's time lies between right time + lower and right time + upper bound, in milliseconds."""

    is_event_time: Bool
    left_lower_bound: Int
    left_upper_bound: Int
    left_time_index: Int
    right_time_index: Int


class IntervalJoinSpec(PlanModel):
    """A join and its bounds in time."""

    join_spec: JoinSpec
    window_bounds: IntervalBounds


class IntervalJoin(PlanNode):
    """A join of rows whose times are close; watermarks clean its state."""

    NAME = "stream-exec-interval-join"
    INPUTS = TWO_INPUTS
    KEEPS_STATE = True

    interval_join_spec: Enforcing[IntervalJoinSpec]


class TemporalJoin(PlanNode):
    """Each left row with the version of the right table that held at its time."""

    NAME = "stream-exec-temporal-join"
    INPUTS = TWO_INPUTS
    KEEPS_STATE = True

    join_spec: Enforcing[JoinSpec]
    is_temporal_function_join: Bool
    left_time_attribute_index: Enforcing[Int]
    right_time_attribute_index: Enforcing[Int]

    @property
    def forgets_idle_keys(self) -> bool:
        """As Flink's TemporalRowTimeJoinOperator and TemporalProcessTimeJoinOperator."""
        return True
