"""Structural checks of a plan: ids, edges, cycles, numbers of inputs, state entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import Finding
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.newer import NewerNode
from compiled_plan.plans.plan.edges import Edge
from compiled_plan.plans.text.durations import parse_duration_nanos


def structure_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    """Faults between nodes, and in the state entries of each node."""
    wiring = list(wiring_findings(nodes, edges))
    yield from wiring
    if is_wired(wiring):
        yield from unread_findings(nodes, edges)


def wiring_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    """Faults in ids, edges, numbers of inputs and state entries."""
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
    findings_by_position = {
        position: list(_node_findings(node, position, inputs[node.id], node.id in feeds))
        for position, node in enumerate(nodes)
    }
    cycles = list(_cycle_findings(nodes, edges))
    yield from (*cycles, *(finding for items in findings_by_position.values() for finding in items))


def is_wired(findings: Sequence[Finding]) -> bool:
    """Return True if every node has its inputs, according to the findings of `wiring_findings`."""
    return not any(finding.pointer.startswith("/edges") or finding.pointer.endswith("/id") for finding in findings)


def unread_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    """Nodes without a consumer that are not sinks."""
    feeds = {edge.source for edge in edges}
    for node in nodes:
        is_sink = node.kind == "sink" or isinstance(node, NewerNode)  # an unknown node may write a table
        if not is_sink and node.id not in feeds:
            remedy = f"add an edge with source {node.id}, or remove the node"
            yield Finding("/edges", f"no node reads the rows of {node.kind}", remedy, None, label(node))


def _uid_findings(nodes: Sequence[PlanNode]) -> Iterator[Finding]:
    """Faults in uids. Two operators with one uid would read each other's state."""
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
    yield from _field_findings(node, position)
    if node.runnable:
        yield from state_findings(node, position, input_count)


def state_findings(node: PlanNode, position: int, input_count: int) -> Iterator[Finding]:
    """Faults in a node's `state` array: missing, duplicate, out-of-range or misnamed entries, bad TTLs."""
    at, node_label = f"/nodes/{position}/state", label(node)
    slots = {slot.index: slot for slot in node.state_slots(input_count)}
    counts = Counter(entry.index for entry in node.listed_entries)
    names = [slot.name for slot in slots.values()]
    for number, entry in enumerate(node.listed_entries):
        place = f"{at}/{number}"
        if entry.index not in slots:
            many = f"indexes 0 to {len(slots) - 1}" if len(slots) > 1 else "index 0" if slots else "no entries"
            message = f"state entry {entry.name!r} has index {entry.index}; {node.kind} has {many}"
            yield Finding(f"{place}/index", message, "correct the index, or remove the entry", entry.index, node_label)
        elif counts[entry.index] > 1:
            message = f"index {entry.index} is used by {counts[entry.index]} state entries"
            yield Finding(f"{place}/index", message, "one entry for each index", entry.index, node_label)
        elif entry.name != slots[entry.index].name:
            message = f"unknown state entry {entry.name!r}"
            wanted = f"did you mean `{slots[entry.index].name}`?" if names else ""
            yield Finding(f"{place}/name", message, wanted, entry.name, node_label)
        try:
            milliseconds = entry.ttl_ms
        except PlanError as fault:
            message = f"bad TTL of {entry.name!r}: {fault.message}"
            yield Finding(f"{place}/ttl", message, fault.remedy, entry.ttl, node_label)
        else:
            yield from _tiny_ttl(entry.ttl, milliseconds, entry.name, f"{place}/ttl", node_label)
    for index, slot in slots.items():
        if index not in counts:
            remedy = f'add {{"index": {index}, "ttl": "0 ms", "name": "{slot.name}"}}; `0 ms` never expires'
            yield Finding(at, f"the state entry {slot.name!r} (index {index}) is missing", remedy, None, node_label)


def _field_findings(node: PlanNode, position: int) -> Iterator[Finding]:
    """Faults in the TTLs outside the `state` array."""
    for field in node.TTL_FIELDS:
        milliseconds = getattr(node, field.field)
        if milliseconds is not None and milliseconds < 0:
            message = f"the TTL of {field.name!r} is negative: {milliseconds}"
            remedy = "write milliseconds; 0 never expires"
            yield Finding(f"/nodes/{position}/{field.alias}", message, remedy, milliseconds, label(node))


def _tiny_ttl(text: str, milliseconds: int, name: str, pointer: str, node_label: str) -> Iterator[Finding]:
    if milliseconds == 0 and parse_duration_nanos(text) > 0:
        message = f"the TTL of {name!r}, {text!r}, is less than a millisecond and would count as 0, which never expires"
        yield Finding(pointer, message, "write `1 ms` or more", text, node_label)


def _cycle_findings(nodes: Sequence[PlanNode], edges: Sequence[Edge]) -> Iterator[Finding]:
    inputs: dict[int, list[int]] = {node.id: [] for node in nodes}
    for edge in edges:
        inputs[edge.target].append(edge.source)
    remaining = set(inputs)
    while ready := {node for node in remaining if remaining.isdisjoint(inputs[node])}:
        remaining -= ready
    if not remaining:
        return
    # Every remaining node has a remaining input, so a walk upstream must end in a cycle.
    walk = [min(remaining)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(source for source in inputs[walk[-1]] if source in remaining))
    cycle = walk[walk.index(walk[-1]) :][::-1]
    message = f"the nodes form a cycle: {' -> '.join(str(node_id) for node_id in cycle)}"
    position = next(number for number, edge in enumerate(edges) if (edge.source, edge.target) == (cycle[0], cycle[1]))
    yield Finding(f"/edges/{position}", message, "remove one of these edges")


def label(node: PlanNode) -> str:
    """A node's id and type, for messages."""
    return f"{node.id} ({node.type})"
