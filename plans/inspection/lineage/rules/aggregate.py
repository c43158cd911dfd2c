"""Group aggregates, in one phase and in two: the same operator over the same rows."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import type_text, value
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.rows import sides
from compiled_plan.plans.inspection.lineage.rules.calls import calls_of, results_of, type_at
from compiled_plan.plans.inspection.lineage.rules.stateless import same
from compiled_plan.plans.nodes.aggregate import (
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.types import LogicalType

# The last phase works on the rows in front of the first.
rule(LocalGroupAggregate, IncrementalGroupAggregate)(same)


@rule(GroupAggregate)
def group_aggregate(node: GroupAggregate, context: Context) -> RuleResult:
    """Key: the grouping. Kept: an accumulator for each call, and how many rows there are."""
    return _aggregate(
        node, node, node.grouping, node.agg_calls, node.agg_call_need_retractions, node.need_retraction, context
    )


@rule(GlobalGroupAggregate)
def global_group_aggregate(node: GlobalGroupAggregate, context: Context) -> RuleResult:
    """The calls of the first phase, on the rows in front of it."""
    below = first_phase(node, context)
    if isinstance(below, IncrementalGroupAggregate):
        local = first_phase(below, context)
        if isinstance(local, LocalGroupAggregate):
            grouping = [local.grouping[at] for at in below.final_agg_grouping if at < len(local.grouping)]
            return _aggregate(
                node,
                local,
                grouping,
                below.partial_original_agg_calls,
                below.partial_agg_call_need_retractions,
                below.partial_agg_need_retraction,
                context,
            )
    if isinstance(below, LocalGroupAggregate):
        return _aggregate(
            node,
            below,
            below.grouping,
            below.agg_calls,
            below.agg_call_need_retractions,
            below.need_retraction,
            context,
        )
    return _aggregate(
        node, node, node.grouping, node.agg_calls, node.agg_call_need_retractions, node.need_retraction, context
    )


def first_phase(node: PlanNode, context: Context) -> PlanNode:
    """The node in front of the exchange that is in front of a node."""
    below = context.plan.inputs(node)[0]
    while isinstance(below, Exchange):
        below = context.plan.inputs(below)[0]
    return below


def say_argument_types(draft: OperatorDraft, types: Sequence[LogicalType | None]) -> None:
    """Add the types of the arguments of all calls."""
    texts = tuple(type_text(each) for each in types if each is not None)
    draft.say("argument types", texts, ", ".join(texts) or "none", Role.AROUND)


def _aggregate(
    node: PlanNode,
    reader: PlanNode,
    grouping: Sequence[int],
    calls: Sequence[AggregateCall],
    retractions: Sequence[bool],
    needs_retraction: bool,
    context: Context,
) -> RuleResult:
    """`reader` is the node whose input the indices count."""
    (port,) = sides(context.inputs(reader))
    draft = OperatorDraft(node, "group-aggregate", context, (port,))
    types = context.types(reader)
    draft.key_of(port, grouping, types)
    keys = [port.column(at) for at in grouping]
    made = calls_of(calls, port.column)
    draft.add("aggregates", made, [call.type for call in calls])
    arguments = [type_at(types, at) for call in calls for at in call.arg_list]
    say_argument_types(draft, arguments)
    # MIN keeps all its values where rows are taken back, and one where they are not.
    taken_back = [call for call, needs in zip(made, retractions, strict=False) if needs]
    ends = [value("groups end")] if needs_retraction else []
    draft.add("takes rows back", [*taken_back, *ends], role=Role.AROUND, value=needs_retraction)
    return draft.made([*keys, *results_of(made, keys, port.origin)], "aggregate")
