"""What differs between the lineages of two plans, by source and operator."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.lineage import lineage_of, places
from compiled_plan.plans.inspection.lineage.compare import Edit, Pairs, Part, edits, paired
from compiled_plan.plans.plan import CompiledPlan


def changes(old: CompiledPlan, new: CompiledPlan) -> tuple[list[Edit], Pairs]:
    """The properties that differ in what belongs together; parts that are gone or added are in the pairs."""
    found: list[Edit] = []
    both, gone, added = [], [], []
    for of in (_sources, _operators):
        pairs = paired(list(of(old)), list(of(new)))
        found += [edit for one, other in pairs.both for edit in edits(one, other)]
        both += pairs.both
        gone += pairs.gone
        added += pairs.added
    return found, Pairs(tuple(both), tuple(gone), tuple(added))


def _sources(plan: CompiledPlan) -> Iterator[Part]:
    for each in lineage_of(plan).sources:
        yield Part(each.name, "source", each.identity, each.properties)


def _operators(plan: CompiledPlan) -> Iterator[Part]:
    below = places(plan)
    for each in lineage_of(plan).operators:
        yield Part(each.uid or each.kind, each.kind, each.identity, each.properties, below[each.node])
