"""The `uid` of operators: a readable name that is stable from plan to plan.

`join-orders-shipments-3f9c1a2b4d` is the operator's kind, the tables that feed it, and ten hex digits of a digest of
the operator itself: its key, its computation and its rows, down to columns of tables. Node ids, aliases, the order of
statements, the location of tables, and upstream or downstream operators are not part of it. Equal operators are
distinguished by their upstream operators, then by the destination of their rows, never by their order in the plan:
`join-orders-shipments-3f9c1a2b4d-81b0e6`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.lineage.matching import Match

_MOST_TABLES = 3
#: Hex digits of an operator's digest: of ten thousand operators of one kind, two are equal once in 20,000 plans.
_DIGITS = 10
#: Hex digits of the suffix that distinguishes equal operators.
_MORE_DIGITS = 6


class _Name(NamedTuple):
    base: str  # name of the operator itself
    finer: tuple[str, ...]  # suffixes that distinguish equal operators, in increasing detail


def with_uids(plan: CompiledPlan) -> CompiledPlan:
    """Add a `uid` to every stateful node without one."""
    uids = derived_uids(plan)
    return renamed(plan, {node.id: uids[node.id] for node in plan.nodes if node.id in uids and node.uid is None})


def renamed(plan: CompiledPlan, uids: Mapping[int, str]) -> CompiledPlan:
    """Replace uids by node id; the plan itself if there are none."""
    if not uids:
        return plan
    nodes = [node.model_copy(update={"uid": uids[node.id]}) if node.id in uids else node for node in plan.nodes]
    return plan.with_nodes(nodes)


def derived_uids(plan: CompiledPlan) -> Mapping[int, str]:
    """Node id -> uid for every stateful node: the uid of the file, or one derived from the node."""
    stateful = [node for node in plan.in_order if keeps_state(node)]
    uids = {node.id: node.uid for node in stateful if node.uid is not None}
    if len(uids) == len(stateful):
        return uids
    uids |= fresh_uids(plan, [node.id for node in stateful if node.id not in uids], uids.values())
    return {node.id: uids[node.id] for node in stateful}


def fresh_uids(plan: CompiledPlan, wanted: Iterable[int], taken: Iterable[str]) -> dict[int, str]:
    """A unique uid for each wanted node, derived from the node and not among `taken`."""
    names = _names(plan)
    equals: dict[str, list[int]] = defaultdict(list)
    for id_, name in names.items():
        equals[name.base].append(id_)
    used, fresh = set(taken), dict.fromkeys(wanted, "")
    # Operators that differ only in TTLs are numbered by them; fully equal ones are interchangeable.
    for id_ in sorted(fresh, key=lambda node_id: [entry.ttl for entry in plan.node(node_id).ttl_entries]):
        text = _distinguish(names, id_, equals[names[id_].base])
        uid, number = text, 1
        while uid in used:
            number += 1
            uid = f"{text}-{number}"
        used.add(uid)
        fresh[id_] = uid
    return fresh


def keeps_state(node: PlanNode) -> bool:
    """Return True if the operator keeps state between rows; a sink only if it materialises."""
    return node.keeps_state and (node.kind != "sink" or bool(node.state_slots(1)))


def _names(plan: CompiledPlan) -> dict[int, _Name]:
    """Candidate names of each stateful operator, in the order of the plan."""
    from compiled_plan.plans.inspection.lineage.plans import lineage_of, places
    from compiled_plan.plans.inspection.lineage.table_identity import by_name

    lineage = lineage_of(plan, identity_of=by_name)
    below, further = places(plan), places(plan, projections=True)
    operators = {operator.node: operator for operator in lineage.operators}
    candidates = {}
    for node in plan.in_order:
        if not keeps_state(node):
            continue
        operator = operators.get(node.id)
        kind, own, identity = (
            (operator.kind, operator.own, operator.identity)
            if operator is not None
            # Without properties, its output rows identify it.
            else (node.kind, digest_of([node.kind, lineage.rows[node.id]]), "")
        )
        base = "-".join([kind.replace(" ", "-"), *_slugs(lineage.tables[node.id]), own[:_DIGITS]])
        steps = (identity, below[node.id], further[node.id])
        candidates[node.id] = _Name(base, tuple(digest_of(steps[: at + 1])[:_MORE_DIGITS] for at in range(len(steps))))
    return candidates


def _distinguish(names: Mapping[int, _Name], id_: int, equals: Iterable[int]) -> str:
    """The shortest name shared with the fewest other operators, ideally with none."""
    own = names[id_]
    texts = {
        node_id: (names[node_id].base, *(f"{names[node_id].base}-{more}" for more in names[node_id].finer))
        for node_id in equals
    }
    least = sum(names[node_id] == own for node_id in texts)
    return next(
        text
        for at, text in enumerate(texts[id_])
        if sum(candidates[at] == text for candidates in texts.values()) == least
    )


def _slugs(tables: tuple[str, ...]) -> list[str]:
    slugs = [re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") or "table" for name in tables]
    return slugs if len(slugs) <= _MOST_TABLES else [*slugs[:_MOST_TABLES], f"{len(slugs) - _MOST_TABLES}more"]


# ------------------------------------------------------------ from plan to plan


@dataclass(frozen=True, slots=True)
class KeptUid:
    """An operator that continues under its old uid."""

    node: int
    uid: str
    match: Match


@dataclass(frozen=True, slots=True)
class Inherited:
    """A plan with the uids of its predecessor."""

    plan: CompiledPlan
    kept_uids: tuple[KeptUid, ...]  # operators that continue under their old uids
    gone: tuple[str, ...]  # uids of the old plan without a successor
    added: tuple[str, ...]  # uids of new operators


def inherit_uids(plan: CompiledPlan, old: CompiledPlan) -> Inherited:
    """Give the operators of a plan the uids that they had in an older one, so that they find their state.

    Uids are unique, and a new operator never gets a uid of the old plan. Existing uids of the plan are replaced; an old
    plan of Flink, without uids, is treated as if they had been derived here.
    """
    from compiled_plan.plans.inspection.lineage.matching import match_operators

    before = derived_uids(old)
    if not before and not any(map(keeps_state, plan.nodes)):
        return Inherited(plan, (), (), ())
    matching = match_operators(old, plan)
    kept_uids = [KeptUid(match_.new, before[match_.old], match_) for match_ in matching.matches if match_.old in before]
    uids = {uid.node: uid.uid for uid in kept_uids}
    rest = [node.id for node in plan.in_order if keeps_state(node) and node.id not in uids]
    fresh = fresh_uids(plan, rest, before.values())
    gone = [uid for uid in before.values() if uid not in uids.values()]
    return Inherited(renamed(plan, uids | fresh), tuple(kept_uids), tuple(gone), tuple(fresh.values()))
