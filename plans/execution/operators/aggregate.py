"""Group aggregates: in one step, or in the two or three steps of Flink's mini-batch plans.

A local aggregate passes its input on, so the global aggregate of a two-phase plan computes the local one's calls on
the rows themselves. So does the global aggregate above an incremental one (`count distinct` with split): its
result is the local one's distinct aggregates grouped by the final key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key
from plans.execution.operators.aggregate_calls import python_call
from plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed, refuse, stateless
from plans.execution.operators.calc import same
from plans.nodes import (
    AggregateCall,
    Exchange,
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from plans.nodes.base import PlanNode
from plans.types import LogicalType, RowType

stateless(IncrementalGroupAggregate)(same)


@keyed(GroupAggregate)
def group_aggregate(node: GroupAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's GroupAggFunction."""
    types = lowering.input_types(node)
    return _operator(
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
        if isinstance(local, LocalGroupAggregate):
            # The final key's positions count the partial key's columns.
            grouping = [local.grouping[at] for at in below.final_agg_grouping]
            return _operator(
                node,
                lowering.input_types(local),
                grouping,
                below.partial_original_agg_calls,
                below.partial_agg_call_need_retractions,
                below.partial_agg_need_retraction,
                node.generate_update_before,
                lowering,
            )
    if isinstance(below, LocalGroupAggregate):
        return _operator(
            node,
            lowering.input_types(below),
            below.grouping,
            below.agg_calls,
            below.agg_call_need_retractions,
            below.need_retraction,
            node.generate_update_before,
            lowering,
        )
    raise refuse(node, f"its input is {below.type}, not a local aggregate", "compile the program again")


def _skip_exchanges(node: PlanNode, lowering: Lowering) -> PlanNode:
    while isinstance(node, Exchange):
        node = lowering.plan.inputs(node.id)[0]
    return node


def _operator(
    node: PlanNode,
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
    return KeyedOperator(
        type="group-aggregate",
        ports=(
            KeyedPort(
                tuple(types),
                key=lambda flow: (
                    canonical_key([flow.columns[at] for at in grouping], key_types) if grouping else F.lit("")
                ),
            ),
        ),
        output=row.types,
        parameters={
            "grouping": list(grouping),
            "aggs": [
                _call(call, retract)
                | python_call(node, call, types, lowering, needs=("retract",) if need_retraction else ())
                for call, retract in zip(calls, retractions, strict=True)
            ],
            "generateUpdateBefore": generate_update_before,
            "needRetraction": need_retraction,
        },
    )


def _call(call: AggregateCall, need_retract: bool) -> dict[str, Any]:
    return {
        "function": call.internal_name,
        "args": list(call.arg_list),
        "filter": call.filter_arg,
        "distinct": call.distinct,
        "needRetract": need_retract,
        "ignoreNulls": call.ignore_nulls,
    }
