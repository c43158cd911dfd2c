"""Group aggregates: in one step, or in the two or three steps of Flink's mini-batch plans.

A local aggregate passes its input on, so the global aggregate of a two-phase plan computes the local one's calls on
the rows themselves. So does the global aggregate above an incremental one (`count distinct` with split): its
result is the local one's distinct aggregates grouped by the final key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.operators.aggregate_calls import kernel_aggregate
from compiled_plan.plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed, stateless
from compiled_plan.plans.execution.operators.calc import same
from compiled_plan.plans.execution.operators.parameters import Aggregate, Parameters
from compiled_plan.plans.nodes.aggregate import (
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.types import LogicalType, RowType

stateless(IncrementalGroupAggregate)(same)


@dataclass(frozen=True, slots=True)
class GroupAggregateParameters(Parameters):
    """Aggregates of groups.

    Args:
        grouping: the columns of the key.
        aggs: the calls.
        generate_update_before: whether updates have their -U.
        need_retraction: whether rows may be taken back, and a group may end.
        coalesce: whether a key has one net change for a micro-batch, as in Flink's mini-batches; else one for a row.
    """

    TYPE: ClassVar[str] = "group-aggregate"
    grouping: tuple[int, ...]
    aggs: tuple[Aggregate, ...]
    generate_update_before: bool
    need_retraction: bool
    coalesce: bool = True


@keyed(GroupAggregate)
def group_aggregate(node: GroupAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's GroupAggFunction."""
    types = lowering.input_types(node)
    return _operator(
        node,
        node,
        types,
        node.grouping,
        node.agg_calls,
        node.agg_call_need_retractions,
        node.need_retraction,
        node.generate_update_before,
        lowering,
    )


@keyed(GlobalGroupAggregate)
def global_group_aggregate(node: GlobalGroupAggregate, lowering: Lowering) -> KeyedOperator:
    """The global half of a two-phase aggregate, on the rows in front of the local half."""
    below = _skip_exchanges(lowering.plan.inputs(node.id)[0], lowering)
    if isinstance(below, IncrementalGroupAggregate):
        local = _skip_exchanges(lowering.plan.inputs(below.id)[0], lowering)
        assert isinstance(local, LocalGroupAggregate)
        # The final key's positions count the partial key's columns.
        grouping = [local.grouping[at] for at in below.final_agg_grouping]
        return _operator(
            node,
            local,
            lowering.input_types(local),
            grouping,
            below.partial_original_agg_calls,
            below.partial_agg_call_need_retractions,
            below.partial_agg_need_retraction,
            node.generate_update_before,
            lowering,
        )
    assert isinstance(below, LocalGroupAggregate)
    return _operator(
        node,
        below,
        lowering.input_types(below),
        below.grouping,
        below.agg_calls,
        below.agg_call_need_retractions,
        below.need_retraction,
        node.generate_update_before,
        lowering,
    )


def _skip_exchanges(node: PlanNode, lowering: Lowering) -> PlanNode:
    while isinstance(node, Exchange):
        node = lowering.plan.inputs(node.id)[0]
    return node


def _operator(
    node: PlanNode,
    reader: PlanNode,
    types: Sequence[LogicalType],
    grouping: Sequence[int],
    calls: Sequence[AggregateCall],
    retractions: Sequence[bool],
    need_retraction: bool,
    generate_update_before: bool,
    lowering: Lowering,
) -> KeyedOperator:
    row = node.output_type
    assert isinstance(row, RowType)
    key_types = [types[at] for at in grouping]
    needs = ("retract",) if need_retraction else ()
    return KeyedOperator(
        ports=(
            KeyedPort(
                tuple(types),
                key=lambda flow: (
                    canonical_key([flow.columns[at] for at in grouping], key_types) if grouping else F.lit("")
                ),
                key_columns=tuple(grouping),
            ),
        ),
        output=row.types,
        parameters=GroupAggregateParameters(
            grouping=tuple(grouping),
            aggs=tuple(
                kernel_aggregate(node, call, types, lowering, needs, retracts=retract)
                for call, retract in zip(calls, retractions, strict=True)
            ),
            generate_update_before=generate_update_before,
            need_retraction=need_retraction,
        ),
        calls=tuple(calls),
        reader=reader.id,
    )
