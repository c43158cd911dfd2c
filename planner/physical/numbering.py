"""Conversion of operators to the nodes and edges of a plan."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.physical.base import NodeContext, PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.plans.connectors.held import held_by_nodes
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.recompile import with_record
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan, Edge
from compiled_plan.plans.plan.session_options import SESSION_OPTIONS, with_missing_options


def number_nodes(draft: Draft) -> Draft:
    """Number the nodes from 1 in the order of the data flow, left inputs first, and build the plan."""
    numbers: dict[int, int] = {}
    nodes: list[PlanNode] = []
    edges: list[Edge] = []
    settings, planner = draft.settings, draft.known
    session = settings.changed(SESSION_OPTIONS)

    def visit(operator: PhysicalOperator) -> int:
        if id(operator) in numbers:
            return numbers[id(operator)]
        sources = [visit(child) for child in operator.inputs]
        number = numbers[id(operator)] = len(nodes) + 1
        traits = tuple(map(planner.traits, operator.inputs))
        at = NodeContext(number, settings, traits, planner.traits(operator))
        nodes.append(with_missing_options(operator.plan_node(at), session))
        edges.extend(Edge.between(source, number) for source in sources)
        return number

    for sink in draft.operators:
        visit(sink)
    plan = CompiledPlan(nodes=tuple(nodes), edges=tuple(edges), holds=held_by_nodes(nodes))
    return replace(draft, plan=with_record(with_uids(plan)))
