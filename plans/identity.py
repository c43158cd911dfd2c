"""The `uid` of operators: a readable name that stays with an operator from plan to plan.

`join-orders-shipments-3f9c` is the operator's kind, the tables that feed it, and four hex digits of a fingerprint over
the fields that shape its state and over where its inputs come from. Node ids play no part in it: the same operator in
a plan compiled again has the same name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from plans.nodes.base import PlanNode, value_to_json
from plans.nodes.scan import TableSourceScan
from plans.plan import CompiledPlan

_MOST_TABLES = 3


def with_uids(plan: CompiledPlan) -> CompiledPlan:
    """The plan with a `uid` on every node that keeps state; those that the file has are kept."""
    uids = derived_uids(plan)
    nodes = [
        node.model_copy(update={"uid": uids[node.id]}) if node.id in uids and node.uid is None else node
        for node in plan.nodes
    ]
    return plan.with_nodes(nodes)


def derived_uids(plan: CompiledPlan) -> Mapping[int, str]:
    """Node id -> uid for every node that keeps state: the one of the file, or one derived from what the node is."""
    taken = {node.uid for node in plan.nodes if node.uid is not None}
    found: dict[int, str] = {}
    prints: dict[int, str] = {}
    tables: dict[int, tuple[str, ...]] = {}
    for node in plan.in_order:
        inputs = plan.inputs(node)
        tables[node.id] = _tables(node, tuple(name for source in inputs for name in tables[source.id]))
        prints[node.id] = _fingerprint(node, tuple(prints[source.id] for source in inputs))
        if not keeps_state(node):
            continue
        if node.uid is not None:
            found[node.id] = node.uid
            continue
        base = "-".join([node.kind, *_slugs(tables[node.id]), prints[node.id][:4]])
        uid, number = base, 1
        while uid in taken:
            number += 1
            uid = f"{base}-{number}"
        taken.add(uid)
        found[node.id] = uid
    return found


def keeps_state(node: PlanNode) -> bool:
    """Whether the operator keeps anything between rows; a sink does only where it materialises."""
    return node.keeps_state and (node.kind != "sink" or bool(node.state_slots(1)))


def state_shape(node: PlanNode) -> dict[str, object]:
    """What of a node shapes its state, as JSON: the enforcing fields without the names that a query gives columns."""
    return {
        type(node).model_fields[name].alias or name: _without_names(value_to_json(getattr(node, name)))
        for name in node.enforcing_fields()
    }


def _without_names(value: object) -> object:
    """JSON without the result names of aggregate calls (the objects that have an `argList`)."""
    if isinstance(value, list):
        return [_without_names(item) for item in value]
    if isinstance(value, dict):
        return {
            key: _same_function(item) if key == "python" else _without_names(item)
            for key, item in value.items()
            if key != "name" or "argList" not in value
        }
    return value


def _same_function(value: object) -> object:
    """What makes a Python function that very function; its file may be elsewhere."""
    if not isinstance(value, dict):
        return value
    return {key: item for key, item in value.items() if key in ("module", "class", "instance")}


def _tables(node: PlanNode, upstream: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(node, TableSourceScan):
        return (node.scan_table_source.table.path[-1],)
    return tuple(dict.fromkeys(upstream))


def _slugs(tables: tuple[str, ...]) -> list[str]:
    slugs = [re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") or "table" for name in tables]
    return slugs if len(slugs) <= _MOST_TABLES else [*slugs[:_MOST_TABLES], f"{len(slugs) - _MOST_TABLES}more"]


def _fingerprint(node: PlanNode, upstream: tuple[str, ...]) -> str:
    """Hex digits over what the node is. Stateless nodes pass on where their input comes from."""
    if isinstance(node, TableSourceScan):
        own: list[object] = ["table", node.scan_table_source.table.identifier]
    elif not keeps_state(node):
        if len(upstream) == 1:
            return upstream[0]
        own = [node.kind]
    else:
        own = [node.kind, state_shape(node)]
    text = json.dumps([own, list(upstream)], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
