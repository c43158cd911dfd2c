"""Group aggregates, in one phase and in two."""

from __future__ import annotations

from plans.nodes.base import Bool, Enforcing, Int, PlanNode, StatefulNode, StateSlot
from plans.nodes.fields import RowTypeJson
from plans.nodes.specs import AggregateCall


class GroupAggregate(StatefulNode):
    """Aggregates by columns of the input; sends an update whenever a result changes."""

    NAME = "stream-exec-group-aggregate"
    STATE = (StateSlot("groupAggregateState", 0),)

    grouping: Enforcing[tuple[Int, ...]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    generate_update_before: Bool
    need_retraction: Enforcing[Bool]


class LocalGroupAggregate(PlanNode):
    """The first phase: aggregates within a mini-batch, before the exchange."""

    NAME = "stream-exec-local-group-aggregate"

    grouping: tuple[Int, ...]
    agg_calls: tuple[AggregateCall, ...]
    agg_call_need_retractions: tuple[Bool, ...]
    need_retraction: Bool


class GlobalGroupAggregate(StatefulNode):
    """The second phase: merges what the local aggregates sent."""

    NAME = "stream-exec-global-group-aggregate"
    STATE = (StateSlot("globalGroupAggregateState", 0),)

    grouping: Enforcing[tuple[Int, ...]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    local_agg_input_row_type: Enforcing[RowTypeJson]
    generate_update_before: Bool
    need_retraction: Enforcing[Bool]
    index_of_count_star: Int | None = None


class IncrementalGroupAggregate(StatefulNode):
    """The middle phase of a split distinct aggregate."""

    NAME = "stream-exec-incremental-group-aggregate"
    STATE = (StateSlot("incrementalGroupAggregateState", 0),)

    partial_agg_grouping: Enforcing[tuple[Int, ...]]
    final_agg_grouping: Enforcing[tuple[Int, ...]]
    partial_original_agg_calls: Enforcing[tuple[AggregateCall, ...]]
    partial_agg_call_need_retractions: Enforcing[tuple[Bool, ...]]
    partial_local_agg_input_row_type: Enforcing[RowTypeJson]
    partial_agg_need_retraction: Enforcing[Bool]
