"""The `uid` of operators: a readable name that stays with an operator from plan to plan.

`join-orders-shipments-3f9c1a2b4d` is the operator's kind, the tables that feed it, and ten hex digits of what it is by
itself: its key, what it computes, of which rows, down to columns of tables. Node ids, aliases, the order of statements,
where tables lie, what stands above and below play no part in it. Operators that are equal by themselves are told apart
by what stands above them, then by where their rows go, never by their order in the plan:
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
#: Hex digits of what tells operators apart that are equal by themselves.
_MORE_DIGITS = 6


class _Name(NamedTuple):
    base: str  # what it is by itself
    finer: tuple[str, ...]  # what tells it from its equals, each one more than the one before


def with_uids(plan: CompiledPlan) -> CompiledPlan:
    """The plan with a `uid` on every node that keeps state; those that the file has are kept."""
    uids = derived_uids(plan)
    return renamed(plan, {node.id: uids[node.id] for node in plan.nodes if node.id in uids and node.uid is None})


def renamed(plan: CompiledPlan, uids: Mapping[int, str]) -> CompiledPlan:
    """The plan with other uids, by node id."""
    nodes = [node.model_copy(update={"uid": uids[node.id]}) if node.id in uids else node for node in plan.nodes]
    return plan.with_nodes(nodes)


def derived_uids(plan: CompiledPlan) -> Mapping[int, str]:
    """Node id -> uid for every node that keeps state: the one of the file, or one derived from what the node is."""
    keeping = [node for node in plan.in_order if keeps_state(node)]
    found = {node.id: node.uid for node in keeping if node.uid is not None}
    if len(found) == len(keeping):
        return found
    found |= fresh_uids(plan, [node.id for node in keeping if node.id not in found], found.values())
    return {node.id: found[node.id] for node in keeping}


def fresh_uids(plan: CompiledPlan, wanted: Iterable[int], taken: Iterable[str]) -> dict[int, str]:
    """A uid for each of the wanted nodes, from what they are; none is one that is taken."""
    names = _names(plan)
    equals: dict[str, list[int]] = defaultdict(list)
    for id_, name in names.items():
        equals[name.base].append(id_)
    used, found = set(taken), dict.fromkeys(wanted, "")
    # What is equal in everything but its TTLs is numbered by them; what is equal in these, too, may change places.
    for id_ in sorted(found, key=lambda each: [entry.ttl for entry in plan.node(each).ttl_entries]):
        text = _told_apart(names, id_, equals[names[id_].base])
        uid, number = text, 1
        while uid in used:
            number += 1
            uid = f"{text}-{number}"
        used.add(uid)
        found[id_] = uid
    return found


def keeps_state(node: PlanNode) -> bool:
    """Whether the operator keeps anything between rows; a sink does only where it materialises."""
    return node.keeps_state and (node.kind != "sink" or bool(node.state_slots(1)))


def _names(plan: CompiledPlan) -> dict[int, _Name]:
    """What each operator that keeps state can be called by, in the order of the plan."""
    from compiled_plan.plans.inspection.lineage.plans import lineage_of, places
    from compiled_plan.plans.inspection.lineage.table_identity import by_name

    lineage = lineage_of(plan, telling=by_name)
    below, further = places(plan), places(plan, projections=True)
    operators = {each.node: each for each in lineage.operators}
    found = {}
    for node in plan.in_order:
        if not keeps_state(node):
            continue
        operator = operators.get(node.id)
        kind, own, identity = (
            (operator.kind, operator.own, operator.identity)
            if operator is not None
            # It has no properties: which rows it gives says what it is.
            else (node.kind, digest_of([node.kind, lineage.rows[node.id]]), "")
        )
        base = "-".join([kind.replace(" ", "-"), *_slugs(lineage.tables[node.id]), own[:_DIGITS]])
        steps = (identity, below[node.id], further[node.id])
        found[node.id] = _Name(base, tuple(digest_of(steps[: at + 1])[:_MORE_DIGITS] for at in range(len(steps))))
    return found


def _told_apart(names: Mapping[int, _Name], id_: int, equals: Iterable[int]) -> str:
    """The shortest name that no other operator has, or as few as can be."""
    own = names[id_]
    texts = {each: (names[each].base, *(f"{names[each].base}-{more}" for more in names[each].finer)) for each in equals}
    least = sum(names[each] == own for each in texts)
    return next(
        text for at, text in enumerate(texts[id_]) if sum(other[at] == text for other in texts.values()) == least
    )


def _slugs(tables: tuple[str, ...]) -> list[str]:
    slugs = [re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") or "table" for name in tables]
    return slugs if len(slugs) <= _MOST_TABLES else [*slugs[:_MOST_TABLES], f"{len(slugs) - _MOST_TABLES}more"]


# ------------------------------------------------------------ from plan to plan


@dataclass(frozen=True, slots=True)
class Kept:
    """An operator that goes on under the uid that it had."""

    node: int
    uid: str
    match: Match


@dataclass(frozen=True, slots=True)
class Inherited:
    """A plan with the uids of the plan that was there before."""

    plan: CompiledPlan
    kept: tuple[Kept, ...]  # operators that go on under their old uids
    gone: tuple[str, ...]  # uids of the old plan that no operator has any more
    added: tuple[str, ...]  # uids of operators that are new


def inherit_uids(plan: CompiledPlan, old: CompiledPlan) -> Inherited:
    """Give the operators of a plan the uids that they had in an older one, so that their state is found again.

    No uid is given twice, and none of the old plan to an operator that is another one. Uids of the plan are replaced;
    an old plan of Flink, without uids, counts as if it had got them here.
    """
    from compiled_plan.plans.inspection.lineage.matching import match_operators

    before = derived_uids(old)
    if not before and not any(map(keeps_state, plan.nodes)):
        return Inherited(plan, (), (), ())
    found = match_operators(old, plan)
    kept = [Kept(each.new, before[each.old], each) for each in found.matches if each.old in before]
    uids = {each.node: each.uid for each in kept}
    rest = [node.id for node in plan.in_order if keeps_state(node) and node.id not in uids]
    fresh = fresh_uids(plan, rest, before.values())
    gone = [uid for uid in before.values() if uid not in uids.values()]
    return Inherited(renamed(plan, uids | fresh), tuple(kept), tuple(gone), tuple(fresh.values()))
