"""Conversion of operators to the nodes and edges of a plan."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import LateRows
from compiled_plan.planner.physical.base import NodeContext, PhysicalOperator
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.late_rows import with_late_rows
from compiled_plan.planner.physical.scan import PhysicalTableSourceScan
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
    late: dict[int, LateRows] = {}
    updates: dict[int, list[bool]] = {}
    settings, planner = draft.settings, draft.known
    session = settings.changed(SESSION_OPTIONS)

    def visit(operator: PhysicalOperator) -> int:
        if id(operator) in numbers:
            return numbers[id(operator)]
        sources = [visit(child) for child in operator.inputs]
        number = numbers[id(operator)] = len(nodes) + 1
        traits = tuple(map(planner.traits, operator.inputs))
        at = NodeContext(number, settings, traits, planner.traits(operator))
        if isinstance(operator, PhysicalTableSourceScan) and operator.late is not None:
            late[number] = operator.late
        updates[number] = [not item.modify_kinds.insert_only for item in traits]
        nodes.append(with_missing_options(operator.plan_node(at), session))
        edges.extend(Edge.between(source, number) for source in sources)
        return number

    for sink in draft.operators:
        visit(sink)
    plan = with_late_rows(
        CompiledPlan(nodes=tuple(nodes), edges=tuple(edges), holds=held_by_nodes(nodes)), late, updates
    )
    return replace(draft, plan=with_record(with_uids(plan)))
