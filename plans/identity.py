"""The `uid` of operators: a readable name that stays with an operator from plan to plan.

`join-orders-shipments-3f9c` is the operator's kind, the tables that feed it, and four hex digits of its lineage: of
what its keys, arguments and stored columns mean and of all that happens to its rows before. Node ids, aliases and the
order of statements play no part in it: the same operator in a plan compiled again has the same name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from plans.lineage.meaning import digest_of
from plans.nodes.base import PlanNode
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


def renamed(plan: CompiledPlan, uids: Mapping[int, str]) -> CompiledPlan:
    """The plan with other uids, by node id."""
    nodes = [node.model_copy(update={"uid": uids[node.id]}) if node.id in uids else node for node in plan.nodes]
    return plan.with_nodes(nodes)


def derived_uids(plan: CompiledPlan) -> Mapping[int, str]:
    """Node id -> uid for every node that keeps state: the one of the file, or one derived from what the node is."""
    keeping = [node for node in plan.in_order if keeps_state(node)]
    taken = {node.uid for node in plan.nodes if node.uid is not None}
    found = {node.id: node.uid for node in keeping if node.uid is not None}
    if len(found) == len(keeping):
        return found
    from plans.lineage import lineage_of, places

    lineage = lineage_of(plan)
    below = places(plan)
    bases: dict[int, str] = {}
    for node in keeping:
        operator = lineage.of(node.id)
        identity = operator.identity if operator is not None else digest_of(node.kind)
        bases[node.id] = "-".join([node.kind, *_slugs(lineage.tables[node.id]), identity[:4]])
    # Equal operators are told apart by what is below them, whatever the order of the statements.
    for node in sorted(keeping, key=lambda each: (bases[each.id], below[each.id])):
        if node.id in found:
            continue
        uid, number = bases[node.id], 1
        while uid in taken:
            number += 1
            uid = f"{bases[node.id]}-{number}"
        taken.add(uid)
        found[node.id] = uid
    return {node.id: found[node.id] for node in keeping}


def keeps_state(node: PlanNode) -> bool:
    """Whether the operator keeps anything between rows; a sink does only where it materialises."""
    return node.keeps_state and (node.kind != "sink" or bool(node.state_slots(1)))


def _slugs(tables: tuple[str, ...]) -> list[str]:
    slugs = [re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") or "table" for name in tables]
    return slugs if len(slugs) <= _MOST_TABLES else [*slugs[:_MOST_TABLES], f"{len(slugs) - _MOST_TABLES}more"]
