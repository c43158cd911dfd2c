"""Rules of whole plans: faults that prevent reading, editing or running a plan, from each node's `faults`.

`edit-plan --check`, `execute-plan --dry-run` and the start of a run all use `plan_findings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.findings import Fault, Finding
from compiled_plan.plans.inspection.changes import certainly_received
from compiled_plan.plans.inspection.declared import DECLARED
from compiled_plan.plans.inspection.late_rows import late_rows_faults
from compiled_plan.plans.inspection.placement import placement_faults
from compiled_plan.plans.nodes.base import Inputs, PlanNode
from compiled_plan.plans.nodes.configuration import configuration_faults
from compiled_plan.plans.nodes.newer import FLINK_VERSION, NewerNode, is_newer
from compiled_plan.plans.nodes.references import reference_faults
from compiled_plan.plans.nodes.rules import indices
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.structure import is_wired, label, unread_findings, wiring_findings
from compiled_plan.plans.text.masking import masked_json
from compiled_plan.plans.text.spans import pointer_of
from compiled_plan.plans.types.changelog import ChangelogMode


def check_runs(plan: CompiledPlan) -> None:
    """Raise the first error of `edit-plan --check` as UnsupportedError, which names the node."""
    for finding in plan_findings(plan):
        raise UnsupportedError(finding.message, where=finding.where, remedy=finding.remedy)


def plan_findings(plan: CompiledPlan) -> Iterator[Finding]:
    """Faults of a plan: its version, its structure, then those by each node's own rule."""
    if is_newer(plan.flink_version):
        yield _version_finding(plan.flink_version)
    nodes, edges = plan.nodes, plan.edges
    wiring = list(wiring_findings(nodes, edges))
    yield from wiring
    # A node's rule reads its inputs, so every node must have them.
    if not is_wired(wiring):
        return
    yield from unread_findings(nodes, edges)
    faulty = {finding.node for finding in wiring if not finding.pointer.endswith("/uid")}
    received = certainly_received(plan)
    if not any(isinstance(node, Sink) for node in nodes):
        yield Finding("/nodes", "the plan has no sink", "compile an INSERT INTO statement", editable=True)
    for position, node in enumerate(nodes):
        if not node.runnable:
            yield _node_finding(node.refusal(), node, position)
        if label(node) not in faulty:
            yield from _rule_findings(node, position, plan, received[node.id])


def _version_finding(version: str) -> Finding:
    """A plan of a newer Flink, which FLINK_VERSION refuses, too: it may mean something else by the same words."""
    message = f"the plan is of Flink {version}, and plans run here up to those of Flink {FLINK_VERSION}"
    remedy = f"compile it with Flink {FLINK_VERSION} to run it; it can be edited and compared as it is"
    return Finding("/flinkVersion", message, remedy, version, editable=True)


def _rule_findings(node: PlanNode, position: int, plan: CompiledPlan, received: ChangelogMode) -> Iterator[Finding]:
    """Inconsistencies between a node and its inputs, by its own rule."""
    rows = tuple(source.output_type for source in plan.inputs(node))
    for number, entry in enumerate(node.input_properties):
        keys = entry.required_distribution.keys or ()
        path = ("inputProperties", number, "requiredDistribution", "keys")
        yield from (_node_finding(fault, node, position) for fault in indices(keys, rows[number].types, path))
    if node.runnable:
        nodes = tuple(_behind_exchanges(source, plan) for source in plan.inputs(node))
        before = tuple(tuple(source.output_type for source in plan.inputs(above)) for above in nodes)
        inputs = Inputs(rows, nodes, before, received, declared=DECLARED)
        faults = [*configuration_faults(node.configuration), *node.faults(inputs), *placement_faults(node, plan)]
        faults += late_rows_faults(plan, node, received)
        # A node's own rule has the best message; the generic check covers references that it ignores.
        faults = faults or [*reference_faults(node, [len(row.fields) for row in rows])]
        if any(isinstance(above, NewerNode) for source in nodes for above in (source, *plan.inputs(source))):
            # The rule may be wrong about rows of a node that is not known.
            faults = [replace(fault, editable=True) for fault in faults]
        yield from (_node_finding(fault, node, position) for fault in faults)


def _behind_exchanges(node: PlanNode, plan: CompiledPlan) -> PlanNode:
    while node.kind == "exchange":
        node = plan.inputs(node)[0]
    return node


def _node_finding(fault: Fault, node: PlanNode, position: int) -> Finding:
    pointer = pointer_of(("nodes", position, *fault.path))
    value = masked_json(fault.value, str(fault.path[-1]) if fault.path else "")
    return Finding(pointer, fault.message, fault.remedy, value, label(node), editable=fault.editable)
