"""Recompilation of a program over its previous plan: uids and edited TTLs are kept.

The planner records the TTLs that it assigned on each node (`ttlAsCompiled`). A TTL in `state` that differs from the
record was edited, by any means, and is kept; one that equals it follows the program. In a plan without a record, of
Flink or of an earlier release, every TTL that differs from the program's counts as edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.identity import Inherited, derived_uids, inherit_uids
from compiled_plan.plans.nodes.base import IDLE_ENTRY, PlanNode, StateEntry
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.durations import parse_duration


@dataclass(frozen=True, slots=True)
class KeptTtl:
    """An edited TTL that is kept."""

    node: int
    uid: str
    entry: str
    ttl: str  # the edited duration
    compiled: str  # the duration that the program assigns now
    recorded: str | None  # the duration that the program assigned to the old plan; None if it has no record

    @property
    def is_contested(self) -> bool:
        """Return True if the program changed the TTL as well."""
        return self.recorded is not None and _ms(self.recorded) != _ms(self.compiled)


@dataclass(frozen=True, slots=True)
class LostTtl:
    """An edited TTL whose operator or entry is gone."""

    uid: str  # the operator's uid in the old plan
    entry: str
    ttl: str  # the edited duration
    why: str  # reason of the loss


@dataclass(frozen=True, slots=True)
class Recompiled:
    """A recompiled plan with everything inherited from its predecessor."""

    plan: CompiledPlan
    inherited: Inherited  # operators that continue
    kept_ttls: tuple[KeptTtl, ...] = ()  # edited TTLs that are kept
    lost_ttls: tuple[LostTtl, ...] = ()  # edited TTLs that are lost


def notes(recompiled: Recompiled, target: str) -> Iterator[str]:
    """The fate of edited TTLs, one per line, and how to take the program's; `target` is the name of the old plan."""
    for edit in recompiled.kept_ttls:
        entry = f"{edit.uid}.{edit.entry}: {edit.ttl}"
        if edit.recorded is None:
            yield f"{entry} is kept, the program says {edit.compiled}: {target} does not record which TTLs were edited"
        elif edit.is_contested:
            yield f"warning: {entry} is kept as edited, though the program went from {edit.recorded} to {edit.compiled}"
        else:
            yield f"{entry} is kept as edited, the program says {edit.compiled}"
    for lost in recompiled.lost_ttls:
        yield f"warning: {lost.uid}.{lost.entry}: the edited TTL {lost.ttl} is lost: {lost.why}"
    if recompiled.kept_ttls:
        yield "  try: --program-ttls to take all TTLs from the program"


def with_record(plan: CompiledPlan) -> CompiledPlan:
    """Record the compiled TTLs in the plan."""
    return plan.with_nodes(
        [
            node.model_copy(update={"ttl_as_compiled": {entry.name: entry.ttl for entry in entries}})
            if (entries := node.ttl_entries)
            else node
            for node in plan.nodes
        ]
    )


def recompile(plan: CompiledPlan, old: CompiledPlan, *, edits: bool = True) -> Recompiled:
    """Replace an older plan of the same program, keeping its `$schema`, and TTLs edited there if `edits` is True."""
    inherited = inherit_uids(plan.with_schema(old.schema), old)
    recompiled = Recompiled(inherited.plan, inherited)
    if not edits:
        return recompiled
    merge = _Merge(inherited.plan, old, inherited)
    kept_ttls, lost_ttls = tuple(merge.kept_ttls()), tuple(merge.lost_ttls())
    return replace(recompiled, plan=_with_ttls(inherited.plan, kept_ttls), kept_ttls=kept_ttls, lost_ttls=lost_ttls)


@dataclass(frozen=True, slots=True)
class _Merge:
    plan: CompiledPlan
    old: CompiledPlan
    inherited: Inherited

    def kept_ttls(self) -> Iterator[KeptTtl]:
        """Edits that are kept; one that equals the program's TTL is no edit any more."""
        for uid in self.inherited.kept_uids:
            old, new = self.old.node(uid.match.old), self.plan.node(uid.node)
            followed = self._entries(old, new)
            for former in old.ttl_entries:
                entry = followed.get(former.name)
                recorded = _recorded(old, former.name)
                if entry is None or _ms(former.ttl) == _ms(entry.ttl):
                    continue
                if recorded is None or _ms(recorded) != _ms(former.ttl):
                    yield KeptTtl(new.id, uid.uid, entry.name, former.ttl, entry.ttl, recorded)

    def lost_ttls(self) -> Iterator[LostTtl]:
        """Edits that are lost; a plan without a record does not tell which TTLs were edited."""
        uids = derived_uids(self.old)
        here = {uid.match.old: uid for uid in self.inherited.kept_uids}
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
        """Old entry name -> new entry."""
        before, after = old.ttl_entries, new.ttl_entries
        if len(before) == len(after) == 1:
            # Aggregates in one and in two phases name their entry differently.
            return {before[0].name: after[0]}
        # Input numbers are stable: an operator with swapped inputs is another operator.
        by_place = {(entry.index, entry.name == IDLE_ENTRY): entry for entry in after}
        successors = {entry.name: by_place.get((entry.index, entry.name == IDLE_ENTRY)) for entry in before}
        return {name: entry for name, entry in successors.items() if entry is not None}


def _recorded(node: PlanNode, entry: str) -> str | None:
    return (node.ttl_as_compiled or {}).get(entry)


def _ms(ttl: str) -> int | None:
    """A TTL in milliseconds; None for an invalid record, which equals nothing."""
    try:
        return parse_duration(ttl)
    except PlanError:
        return None


def _with_ttls(plan: CompiledPlan, kept_ttls: Sequence[KeptTtl]) -> CompiledPlan:
    edits: dict[int, dict[str, str]] = {}
    for edited in kept_ttls:
        edits.setdefault(edited.node, {})[edited.entry] = edited.ttl
    return plan.with_nodes([node.with_ttls(edits[node.id]) if node.id in edits else node for node in plan.nodes])
