"""A program that is compiled again, over the plan that was there before: uids and edited TTLs are kept.

The planner records on each node which TTLs it gave (`ttlAsCompiled`). A TTL in `state` that differs from the record was
edited, by whatever means, and holds on; one that equals it follows the program. A plan without a record, of Flink or of
an earlier release, does not say; then every TTL that differs from the program's counts as edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.identity import Inherited, derived_uids, inherit_uids
from compiled_plan.plans.nodes.base import IDLE_ENTRY, TTL, PlanNode, StateEntry
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import with_option
from compiled_plan.plans.text.durations import parse_duration


@dataclass(frozen=True, slots=True)
class KeptTtl:
    """An edited TTL that holds on."""

    node: int
    uid: str
    entry: str
    ttl: str  # the duration that it was edited to
    compiled: str  # the one that the program gives now
    recorded: str | None  # the one that it gave when the old plan was compiled; None where that plan does not say

    @property
    def is_contested(self) -> bool:
        """Whether the program, too, says something else than it said."""
        return self.recorded is not None and _ms(self.recorded) != _ms(self.compiled)


@dataclass(frozen=True, slots=True)
class LostTtl:
    """An edited TTL that nothing has any more."""

    uid: str  # the operator, by its uid in the old plan
    entry: str
    ttl: str  # the duration that it was edited to
    why: str  # what became of it


@dataclass(frozen=True, slots=True)
class Recompiled:
    """A plan with what it keeps of the one that was there before."""

    plan: CompiledPlan
    inherited: Inherited  # which operators are which
    kept: tuple[KeptTtl, ...] = ()  # edited TTLs that hold on
    lost: tuple[LostTtl, ...] = ()  # edited TTLs of what is gone


def notes(found: Recompiled, target: str) -> Iterator[str]:
    """The fate of edited TTLs, a line each, and how to take the program's; `target` is the name of the old plan."""
    for kept in found.kept:
        what = f"{kept.uid}.{kept.entry}: {kept.ttl}"
        if kept.recorded is None:
            yield f"{what} is kept, the program says {kept.compiled}: {target} does not record which TTLs were edited"
        elif kept.is_contested:
            yield f"warning: {what} is kept as edited, though the program went from {kept.recorded} to {kept.compiled}"
        else:
            yield f"{what} is kept as edited, the program says {kept.compiled}"
    for lost in found.lost:
        yield f"warning: {lost.uid}.{lost.entry}: the edited TTL {lost.ttl} is lost: {lost.why}"
    if found.kept:
        yield "  try: --program-ttls to take all TTLs from the program"


def with_record(plan: CompiledPlan) -> CompiledPlan:
    """A compiled plan that says which TTLs it was compiled with."""
    return plan.with_nodes(
        [
            node.model_copy(update={"ttl_as_compiled": {entry.name: entry.ttl for entry in entries}})
            if (entries := node.ttl_entries)
            else node
            for node in plan.nodes
        ]
    )


def recompile(plan: CompiledPlan, old: CompiledPlan, *, edits: bool = True) -> Recompiled:
    """Put a plan in place of an older one of the same program, with the TTLs edited there unless `edits` is False."""
    inherited = inherit_uids(plan, old)
    found = Recompiled(inherited.plan, inherited)
    if not edits:
        return found
    merge = _Merge(inherited.plan, old, inherited)
    kept, lost = tuple(merge.kept()), tuple(merge.lost())
    return replace(found, plan=_with_ttls(inherited.plan, kept), kept=kept, lost=lost)


@dataclass(frozen=True, slots=True)
class _Merge:
    plan: CompiledPlan
    old: CompiledPlan
    inherited: Inherited

    def kept(self) -> Iterator[KeptTtl]:
        """The edits that hold on; those that the program has come to say are none any more."""
        for each in self.inherited.kept:
            old, new = self.old.node(each.match.old), self.plan.node(each.node)
            followed = self._entries(old, new)
            for former in old.ttl_entries:
                entry = followed.get(former.name)
                recorded = _recorded(old, former.name)
                if entry is None or _ms(former.ttl) == _ms(entry.ttl):
                    continue
                if recorded is None or _ms(recorded) != _ms(former.ttl):
                    yield KeptTtl(new.id, each.uid, entry.name, former.ttl, entry.ttl, recorded)

    def lost(self) -> Iterator[LostTtl]:
        """The edits of which nothing is left; of a plan without a record it is not known what was edited."""
        uids = derived_uids(self.old)
        here = {each.match.old: each for each in self.inherited.kept}
        for old in self.old.in_order:
            if old.id not in here and old.id not in uids:
                continue
            followed = self._entries(old, self.plan.node(here[old.id].node)) if old.id in here else {}
            for former in old.ttl_entries:
                recorded = _recorded(old, former.name)
                if recorded is None or _ms(recorded) == _ms(former.ttl) or former.name in followed:
                    continue
                why = "it has no such entry any more" if old.id in here else "the operator is gone"
                yield LostTtl(uids[old.id], former.name, former.ttl, why)

    def _entries(self, old: PlanNode, new: PlanNode) -> Mapping[str, StateEntry]:
        """By the name of an old entry the one that it is now."""
        before, after = old.ttl_entries, new.ttl_entries
        if len(before) == len(after) == 1:
            # An aggregate in one phase and one in two name theirs differently.
            return {before[0].name: after[0]}
        # An operator whose inputs change places is another one: numbers of inputs stay.
        by_place = {(entry.index, entry.name == IDLE_ENTRY): entry for entry in after}
        found = {entry.name: by_place.get((entry.index, entry.name == IDLE_ENTRY)) for entry in before}
        return {name: entry for name, entry in found.items() if entry is not None}


def _recorded(node: PlanNode, entry: str) -> str | None:
    return (node.ttl_as_compiled or {}).get(entry)


def _ms(ttl: str) -> int | None:
    """A TTL in ms; None for a record that is no duration, which nothing equals."""
    try:
        return parse_duration(ttl)
    except PlanError:
        return None


def _with_ttls(plan: CompiledPlan, kept: Sequence[KeptTtl]) -> CompiledPlan:
    edits: dict[int, dict[str, str]] = {}
    for each in kept:
        edits.setdefault(each.node, {})[each.entry] = each.ttl
    return plan.with_nodes([_with_ttl(node, edits[node.id]) if node.id in edits else node for node in plan.nodes])


def _with_ttl(node: PlanNode, ttls: Mapping[str, str]) -> PlanNode:
    state = tuple(
        entry.model_copy(update={"ttl": ttls[entry.name]}) if entry.name in ttls else entry
        for entry in node.state_entries
    )
    found = node.model_copy(update={"state": state}) if state else node
    return with_option(found, TTL, ttls[IDLE_ENTRY]) if IDLE_ENTRY in ttls else found
