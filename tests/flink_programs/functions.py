"""Signatures of the Java functions that a plan of Flink calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from compiled_plan.plans.inspection.placement import calls_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.over import OverSpec
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import java_function, type_of
from compiled_plan.plans.types import LogicalType

#: Aggregates over accumulators: the nodes before them have the arguments.
_MERGING = ("global", "incremental")


def signatures(file: Path) -> dict[str, list[str]]:
    """The types of the calls in a plan, by the function's name."""
    plan = CompiledPlan.read_file(file)
    named: dict[str, list[str]] = {}
    for node in plan.nodes:
        for name, signature in (*_calls(node), *_aggregates(plan, node)):
            named.setdefault(name, []).append(signature)
    return named


def _calls(node: PlanNode) -> Iterator[tuple[str, str]]:
    for call in calls_of(node):
        if function := java_function(call):
            yield function.name, _signature([type_of(operand) for operand in call.operands], call.type)


def _aggregates(plan: CompiledPlan, node: PlanNode) -> Iterator[tuple[str, str]]:
    if any(part in node.type for part in _MERGING):
        return
    for call in objects_in(node, AggregateCall):
        if call.java_function:
            types = [*plan.inputs(node)[0].output_type.types]
            types += [type_of(constant) for spec in objects_in(node, OverSpec) for constant in spec.constants]
            yield call.java_function.name, _signature([types[at] for at in call.arg_list], call.type)


def _signature(arguments: Sequence[LogicalType], result: LogicalType) -> str:
    return f"({', '.join(str(type_.as_regular()) for type_ in arguments)}) -> {result.as_regular()}"
