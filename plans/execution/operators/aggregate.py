"""Group aggregates: in one step, or in the two or three steps of Flink's mini-batch plans.

A local aggregate passes its input through, so the global aggregate of a two-phase plan evaluates the local one's calls
on the rows themselves. So does the global aggregate above an incremental one (`count distinct` with split): its result
is the local one's distinct aggregates grouped by the final key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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

stateless(IncrementalGroupAggregate)(same)


@dataclass(frozen=True, slots=True)
class GroupAggregateParameters(Parameters):
    """Group aggregates.

    Args:
        grouping: the columns of the key.
        aggs: the calls.
        generate_update_before: True if updates are emitted as -U and +U.
        need_retraction: True if rows may be retracted, so that a group may end.
        coalesce: emit one net change per key and micro-batch, as in Flink's mini-batches; otherwise one per row.
    """

    TYPE: ClassVar[str] = "group-aggregate"
    grouping: tuple[int, ...]
    aggs: tuple[Aggregate, ...]
    generate_update_before: bool
    need_retraction: bool
    coalesce: bool = True


@keyed(GroupAggregate)
def group_aggregate(node: GroupAggregate, lowering: Lowering) -> KeyedOperator:
    return _operator(node, node, None, lowering)


@keyed(GlobalGroupAggregate)
def global_group_aggregate(node: GlobalGroupAggregate, lowering: Lowering) -> KeyedOperator:
    """The global half of a two-phase aggregate, on the input rows of the local half."""
    below = lowering.below_exchanges(node)
    split = below if isinstance(below, IncrementalGroupAggregate) else None
    local = below if split is None else lowering.below_exchanges(split)
    assert isinstance(local, LocalGroupAggregate)
    return _operator(node, local, split, lowering)


def _operator(
    node: GroupAggregate | GlobalGroupAggregate,
    reader: GroupAggregate | LocalGroupAggregate,
    split: IncrementalGroupAggregate | None,
    lowering: Lowering,
) -> KeyedOperator:
    grouping, calls = reader.grouping, reader.agg_calls
    retractions, need_retraction = reader.agg_call_need_retractions, reader.need_retraction
    if split is not None:
        # The final key's positions index the partial key's columns.
        grouping = tuple(reader.grouping[at] for at in split.final_agg_grouping)
        calls = split.partial_original_agg_calls
        retractions, need_retraction = split.partial_agg_call_need_retractions, split.partial_agg_need_retraction
    types = lowering.input_types(reader)
    needs = ("retract",) if need_retraction else ()
    return KeyedOperator(
        ports=(KeyedPort.by(grouping, types),),
        output=node.output_type.types,
        parameters=GroupAggregateParameters(
            grouping=tuple(grouping),
            aggs=tuple(
                kernel_aggregate(node, call, types, lowering, needs, retracts=retract)
                for call, retract in zip(calls, retractions, strict=True)
            ),
            generate_update_before=node.generate_update_before,
            need_retraction=need_retraction,
        ),
        calls=tuple(calls),
        reader=reader.id,
    )
