"""Placement rules: calls that only run in certain operators, and in front of certain others.

Between two stateful operators, rows pass stateless ones within one pass. Some calls need information that exists only
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.aggregate import IncrementalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.lookup import LookupJoin, LookupTable
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Calc, Correlate, WatermarkAssigner
from compiled_plan.plans.nodes.tables import CatalogTable, TableSink, TableSource
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, RexNode, calls_python, python_function, walk
from compiled_plan.plans.rex.python import user_name
from compiled_plan.plans.rex.sequences import is_sequence
from compiled_plan.plans.trees import reached


def calls_of(node: PlanNode) -> Iterator[Call]:
    """The calls that a node computes; other nodes compute those of a table's declaration."""
    for name in type(node).model_fields:
        value = getattr(node, name)
        if isinstance(value, LookupTable):
            value = value.lookup_table_source
        if isinstance(value, TableSource | TableSink):
            value = value.abilities
        declares = isinstance(value, CatalogTable) or name == "late_rows"
        for rex in () if declares else objects_in(value, RexNode):
            yield from (part for part in walk(rex) if isinstance(part, Call))


def calls_of_python(node: PlanNode) -> Iterator[Call]:
    return (call for call in calls_of(node) if python_function(call) is not None)


def needs_step(node: PlanNode) -> bool:
    """Return True if a node needs its own step: it calls Python functions, or is joined with a table as a whole."""
    if isinstance(node, LookupJoin):
        return joins_table(node) and not node.keeps_state
    return isinstance(node, Calc | Correlate) and any(True for _ in calls_of_python(node))


def joins_table(node: LookupJoin) -> bool:
    """Return True if a lookup joins micro-batches with the table as a whole."""
    connector = connector_spec(node.looked_up_options.get("connector"))
    return connector is not None and connector.lookup is not None and connector.lookup.joins


def is_passed(node: PlanNode) -> bool:
    """Return True if rows pass an operator without a shuffle or a step."""
    if isinstance(node, IncrementalGroupAggregate):
        return True  # the global aggregate above it keeps the state of both
    return not (node.keeps_state or needs_step(node) or isinstance(node, Sink))


def makes_watermarks(node: PlanNode) -> bool:
    """Return True for a watermark assigner, and for a scan whose source creates watermarks."""
    return isinstance(node, WatermarkAssigner) or (isinstance(node, TableSourceScan) and node.watermark is not None)


def assigns_below(plan: CompiledPlan, node: int) -> bool:
    """Return True if a watermark assigner is reachable from a node within one pass."""
    return any(isinstance(downstream, WatermarkAssigner) for downstream in _passed_on(plan, node))


def _passed_on(plan: CompiledPlan, node: int) -> list[PlanNode]:
    def onward(at: int) -> list[int]:
        return [consumer.id for consumer in plan.consumers(at)] if at == node or is_passed(plan.node(at)) else []

    return [plan.node(at) for at in reached(onward(node), onward)]


def placement_faults(node: PlanNode, plan: CompiledPlan) -> Iterator[Fault]:
    """Faults of calls that cannot run at a node's position in the plan."""
    calls = list(calls_of(node))
    for applies, check in _RULES:
        call = next(filter(applies, calls), None)
        if call is not None:
            yield from check(node, plan, call)
    if isinstance(node, LookupJoin) and joins_table(node):
        yield from _of_table(node)
    explodes = isinstance(node, LookupJoin) or (isinstance(node, Correlate) and not needs_step(node))
    if explodes and assigns_below(plan, node.id):
        yield refusal((), "it is in front of a watermark", "declare the watermark on the table")
    if isinstance(node, Sink) and node.waits_for_watermarks and not any(map(makes_watermarks, plan.nodes)):
        message = "ON CONFLICT DO ERROR or DO NOTHING without watermarks"
        yield refusal(("conflictStrategy",), message, "declare a WATERMARK on a table that is read")


def _of_table(node: LookupJoin) -> Iterator[Fault]:
    """Faults of a lookup that joins micro-batches with a table."""
    connector = node.looked_up_options.get("connector", "")
    if node.keeps_state:
        message = f"it stores the rows that it looks up, and the connector {connector!r} joins whole micro-batches"
        remedy = "leave out 'table.optimizer.non-deterministic-update.strategy', or look up a table of connector 'jdbc'"
        yield refusal((), message, remedy)
    if node.retry_options is not None:
        message = f"the hint LOOKUP repeats lookups, and a table of connector {connector!r} is read once a micro-batch"
        yield refusal(("retryOptions",), message, "leave the hint out")


def _current_watermark(node: PlanNode, plan: CompiledPlan, call: Call) -> Iterator[Fault]:
    """Faults of CURRENT_WATERMARK: rows carry their watermark up to the first stateful operator."""

    def above(at: int) -> list[int]:
        return [source.id for source in plan.inputs(at)]

    upstream = [
        plan.node(at) for at in reached(above(node.id), lambda at: above(at) if is_passed(plan.node(at)) else [])
    ]
    sources = [source for source in upstream if not source.INPUTS.least]
    known = all(makes_watermarks(source) or assigns_below(plan, source.id) for source in sources)
    if not (isinstance(node, Calc) and is_passed(node) and all(map(is_passed, upstream)) and known):
        message = "CURRENT_WATERMARK behind a join, an aggregate or another operator with state"
        yield refusal(
            (), message, "call it in a view directly over the table with the watermark, and use its column here"
        )


def _sequence(node: PlanNode, plan: CompiledPlan, call: Call) -> Iterator[Fault]:
    """Faults of RAND with a seed, which a separate operator counts."""
    if not isinstance(node, Calc) or needs_step(node):
        message = f"{call.name[1:-2]} with a seed cannot run here"
        yield refusal((), message, "compute it in the SELECT list of a subquery")
    elif assigns_below(plan, node.id):
        message = "RAND with a seed is computed in front of a watermark"
        yield refusal((), message, "leave it out of the table's columns")


def _python(node: PlanNode, plan: CompiledPlan, call: Call) -> Iterator[Fault]:
    name = user_name(call)
    if not isinstance(node, Calc | Correlate):
        message = f"it calls the Python function {name} in a condition"
        yield refusal((), message, "call it in a query below, and compare its result")
    elif isinstance(node, Correlate) and calls_python(node.condition):
        message = "its condition calls a Python function"
        yield refusal(("condition",), message, "filter the table function's rows in a query above")
    elif assigns_below(plan, node.id):
        message = f"the Python function {name} is called in front of a watermark"
        yield refusal((), message, "call it in a query over the table")


_Rule = Callable[[PlanNode, CompiledPlan, Call], Iterator[Fault]]
_RULES: tuple[tuple[Callable[[Call], bool], _Rule], ...] = (
    (lambda call: call.name == "$CURRENT_WATERMARK$1", _current_watermark),
    (is_sequence, _sequence),
    (lambda call: python_function(call) is not None, _python),
)
