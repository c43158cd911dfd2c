"""From a plan's JSON to a CompiledPlan, with every fault as a finding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from pydantic import ValidationError

from plans.connectors.declarations import Changes
from plans.errors import PlanError
from plans.findings import Fault, Finding, Severity, did_you_mean, pointer_of, shown
from plans.masking import masked_json
from plans.nodes.base import Json, PlanNode
from plans.nodes.configuration import configuration_faults
from plans.nodes.read import findings_of, read_node
from plans.nodes.rules import Inputs, indices
from plans.plan import FLINK_VERSION, CompiledPlan, Edge

_ROOT = {"flinkVersion": str, "nodes": list, "edges": list}
_KINDS = {str: "a text", list: "a list"}


def read_plan(data: Json) -> tuple[CompiledPlan | None, list[Finding]]:
    """The plan, or None and the errors that keep it from being read; beside them what keeps it from being run."""
    findings = list(_root_findings(data))
    if not (isinstance(data, dict) and isinstance(data.get("nodes"), list) and isinstance(data.get("edges"), list)):
        return None, findings
    nodes: list[PlanNode] = []
    for position, value in enumerate(data["nodes"]):
        node, faults = read_node(value, position)
        findings += faults
        if node is not None:
            nodes.append(node)
    edges: list[Edge] = []
    for position, value in enumerate(data["edges"]):
        try:
            edges.append(Edge.model_validate(value, by_alias=True, by_name=False))
        except ValidationError as fault:
            findings += findings_of(fault, value, ("edges", position))
    if findings:
        return None, findings
    findings = list(graph_findings(nodes, edges))
    wrong = any(finding.severity is Severity.ERROR for finding in findings)
    return (None if wrong else CompiledPlan(tuple(nodes), tuple(edges), data["flinkVersion"])), findings


def _root_findings(data: Json) -> Iterator[Finding]:
    if not isinstance(data, dict):
        yield Finding("", "a plan must be an object with `flinkVersion`, `nodes` and `edges`", value=shown(data))
        return
    missing = [name for name in _ROOT if name not in data]
    for name in data:
        if name not in _ROOT:
            remedy = did_you_mean(name, missing, "remove it: Flink allows no other field here")
            yield Finding(pointer_of((name,)), f"unknown field `{name}` in the plan's root", remedy, data[name])
    for name in missing:
        yield Finding(pointer_of((name,)), f"the plan lacks the field `{name}`", "is this a plan file?")
    for name, kind in _ROOT.items():
        if name in data and not isinstance(data[name], kind):
            message = f"`{name}` must be {_KINDS[kind]}, not {shown(data[name])}"
            yield Finding(pointer_of((name,)), message, value=data[name])
    version = data.get("flinkVersion")
    if isinstance(version, str):
        yield from _version_findings(version)


def _version_findings(version: str) -> Iterator[Finding]:
    if not re.fullmatch(r"[0-9]+\.[0-9]+", version):
        yield Finding("/flinkVersion", f"not a version of Flink: {version!r}", f"such as `{FLINK_VERSION}`", version)
    elif _numbers(version) > _numbers(FLINK_VERSION):
        message = f"the plan is of Flink {version}, newer than {FLINK_VERSION}, the newest that is known"
        yield Finding("/flinkVersion", message, f"compile it with Flink {FLINK_VERSION} or older", version)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def graph_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    """What is wrong between nodes: ids, edges, cycles, numbers of inputs, state entries; then each node's own rule."""
    counts = Counter(node.id for node in nodes)
    faulty = False
    for position, node in enumerate(nodes):
        if counts[node.id] > 1:
            faulty = True
            message = f"the id {node.id} is used {counts[node.id]} times"
            yield Finding(f"/nodes/{position}/id", message, "give each node its own", node.id, label(node))
    for position, edge in enumerate(edges):
        for end, node_id in (("source", edge.source), ("target", edge.target)):
            if node_id not in counts:
                faulty = True
                message = f"the edge {edge.source} -> {edge.target} has no {end}: the plan has no node {node_id}"
                yield Finding(
                    f"/edges/{position}/{end}", message, "remove the edge, or name a node of the plan", node_id
                )
    if faulty:
        return
    yield from _uid_findings(nodes)
    inputs = Counter(edge.target for edge in edges)
    feeds = {edge.source for edge in edges}
    found = {
        position: list(_node_findings(node, position, inputs[node.id], node.id in feeds))
        for position, node in enumerate(nodes)
    }
    cycles = list(_cycle_findings(nodes, edges))
    yield from (*cycles, *(finding for items in found.values() for finding in items))
    # A rule looks at what feeds its node: it can where every node has its inputs.
    if cycles or any(finding.pointer == "/edges" for items in found.values() for finding in items):
        return
    for node in nodes:
        if node.kind != "sink" and node.id not in feeds:
            remedy = f"add an edge with source {node.id}, or remove the node"
            yield Finding("/edges", f"no node reads the rows of {node.kind}", remedy, None, label(node))
    plan = CompiledPlan(tuple(nodes), tuple(edges))
    received = _received(plan)
    for position, node in enumerate(nodes):
        if not found[position]:
            yield from _rule_findings(node, position, plan, received[node.id])


def _received(plan: CompiledPlan) -> dict[int, Changes]:
    """Node id -> the kinds of rows that certainly come to it."""
    received: dict[int, Changes] = {}
    sent: dict[int, Changes] = {}
    for node in plan.in_order:
        received[node.id] = reduce(or_, (sent[source.id] for source in plan.inputs(node)), Changes.NONE)
        sent[node.id] = node.sends(received[node.id])
    return received


def _rule_findings(node: PlanNode, position: int, plan: CompiledPlan, received: Changes) -> Iterator[Finding]:
    """What does not follow from the node's inputs, by its own rule."""
    rows = tuple(source.output_type for source in plan.inputs(node))
    for number, entry in enumerate(node.input_properties):
        keys = entry.required_distribution.keys or ()
        path = ("inputProperties", number, "requiredDistribution", "keys")
        yield from (_of_node(fault, node, position) for fault in indices(keys, rows[number].types, path))
    if node.RUNNABLE:
        nodes = tuple(_behind_exchanges(source, plan) for source in plan.inputs(node))
        before = tuple(tuple(source.output_type for source in plan.inputs(above)) for above in nodes)
        faults = (*configuration_faults(node.configuration), *node.faults(Inputs(rows, nodes, before, received)))
        yield from (_of_node(fault, node, position) for fault in faults)


def _behind_exchanges(node: PlanNode, plan: CompiledPlan) -> PlanNode:
    while node.kind == "exchange":
        node = plan.inputs(node)[0]
    return node


def _of_node(fault: Fault, node: PlanNode, position: int) -> Finding:
    pointer = pointer_of(("nodes", position, *fault.path))
    value = masked_json(fault.value, str(fault.path[-1]))
    severity = Severity.WARNING if fault.editable else Severity.ERROR
    return Finding(pointer, fault.message, fault.remedy, value, label(node), severity)


def _uid_findings(nodes: Sequence[PlanNode]) -> Iterator[Finding]:
    """Two operators of one uid would read each other's state."""
    counts = Counter(node.uid for node in nodes if node.uid is not None)
    for position, node in enumerate(nodes):
        if node.uid is not None and counts[node.uid] > 1:
            message = f"the uid {node.uid!r} is used {counts[node.uid]} times"
            yield Finding(f"/nodes/{position}/uid", message, "give each operator its own", node.uid, label(node))
        elif node.uid is not None and not node.uid.strip():
            yield Finding(f"/nodes/{position}/uid", "a uid must not be empty", "remove it", node.uid, label(node))


def _node_findings(node: PlanNode, position: int, input_count: int, feeds: bool) -> Iterator[Finding]:
    at = f"/nodes/{position}"
    if not node.INPUTS.accepts(input_count):
        message = f"{node.kind} takes {node.INPUTS}, and {input_count} edges lead to it"
        yield Finding("/edges", message, f"add or remove edges with target {node.id}", None, label(node))
    elif len(node.input_properties) != input_count:
        message = f"{len(node.input_properties)} input properties for {input_count} inputs"
        yield Finding(f"{at}/inputProperties", message, "one for each input", None, label(node))
    if node.kind == "sink" and feeds:
        yield Finding("/edges", "a sink feeds no other node", f"remove edges with source {node.id}", None, label(node))
    if node.RUNNABLE:
        yield from state_findings(node, position, input_count)


def state_findings(node: PlanNode, position: int, input_count: int) -> Iterator[Finding]:
    """What is wrong with a node's `state` array: entries missing, twice, out of range, misnamed, bad TTLs."""
    at, who = f"/nodes/{position}/state", label(node)
    slots = {slot.index: slot for slot in node.state_slots(input_count)}
    counts = Counter(entry.index for entry in node.state_entries)
    names = [slot.name for slot in slots.values()]
    for number, entry in enumerate(node.state_entries):
        place = f"{at}/{number}"
        if entry.index not in slots:
            many = f"indexes 0 to {len(slots) - 1}" if len(slots) > 1 else "index 0" if slots else "no entries"
            message = f"state entry {entry.name!r} has index {entry.index}; {node.kind} has {many}"
            yield Finding(f"{place}/index", message, "correct the index, or remove the entry", entry.index, who)
        elif counts[entry.index] > 1:
            message = f"index {entry.index} is used by {counts[entry.index]} state entries"
            yield Finding(f"{place}/index", message, "one entry for each index", entry.index, who)
        elif entry.name != slots[entry.index].name:
            message = f"unknown state entry {entry.name!r}"
            wanted = f"did you mean `{slots[entry.index].name}`?" if names else ""
            yield Finding(f"{place}/name", message, wanted, entry.name, who)
        try:
            milliseconds = entry.ttl_ms
        except PlanError as fault:
            message = f"bad TTL of {entry.name!r}: {fault.message}"
            yield Finding(f"{place}/ttl", message, fault.remedy, entry.ttl, who)
        else:
            yield from _tiny_ttl(entry.ttl, milliseconds, entry.name, f"{place}/ttl", who)
    for index, slot in slots.items():
        if index not in counts:
            remedy = f'add {{"index": {index}, "ttl": "0 ms", "name": "{slot.name}"}}; `0 ms` never expires'
            yield Finding(at, f"the state entry {slot.name!r} (index {index}) is missing", remedy, None, who)


def _tiny_ttl(text: str, milliseconds: int, name: str, pointer: str, who: str) -> Iterator[Finding]:
    from plans.durations import parse_duration_nanos

    if milliseconds == 0 and parse_duration_nanos(text) > 0:
        message = f"the TTL of {name!r}, {text!r}, is less than a millisecond and would count as 0, which never expires"
        yield Finding(pointer, message, "write `1 ms` or more", text, who)


def _cycle_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    plan = CompiledPlan(tuple(nodes), tuple(edges))
    left = {node.id for node in nodes} - {node.id for node in plan.in_order}
    if not left:
        return
    # Every node that is left has an input that is left: walking upwards must come around.
    walk = [min(left)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(source.id for source in plan.inputs(walk[-1]) if source.id in left))
    cycle = walk[walk.index(walk[-1]) :][::-1]
    message = f"the nodes form a cycle: {' -> '.join(str(node_id) for node_id in cycle)}"
    position = next(number for number, edge in enumerate(edges) if (edge.source, edge.target) == (cycle[0], cycle[1]))
    yield Finding(f"/edges/{position}", message, "remove one of these edges")


def label(node: PlanNode) -> str:
    """A node for messages: its id and type."""
    return f"{node.id} ({node.type})"
