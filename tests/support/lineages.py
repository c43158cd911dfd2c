"""Differences between the lineages of two plans, by source and operator, without verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage.matching import match_operators
from compiled_plan.plans.inspection.lineage.operators import Item, Lineage, OperatorLineage, Property, SourceLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.same_tables import SourceKey, match_sources
from compiled_plan.plans.plan import CompiledPlan

_NONE = "none"


@dataclass(frozen=True)
class Changes:
    """Properties that differ, as texts, and the operators that were matched, removed or added."""

    texts: list[str]
    pairs: list[tuple[OperatorLineage, OperatorLineage]]


def changes(old: CompiledPlan, new: CompiledPlan) -> Changes:
    """Compare sources, then matched operators; equal tables are told apart by the positions of their rows."""
    before, after = lineage_of(old), lineage_of(new)
    matching = match_operators(old, new, lineages=(before, after), loose=True)
    pairs = [(_operator(before, match.old), _operator(after, match.new)) for match in matching.matches]
    texts = list(_sources(before.sources, after.sources))
    for left, right in pairs:
        texts += [f"{right.uid or right.kind}: {text}" for text in _edits(left.properties, right.properties)]
    texts += [f"gone {_operator(before, node).kind}" for node in matching.gone]
    texts += [f"added {_operator(after, node).kind}" for node in matching.added]
    return Changes(texts, pairs)


def _operator(lineage: Lineage, node: int) -> OperatorLineage:
    operator = lineage.of(node)
    assert operator is not None
    return operator


def _sources(old: Sequence[SourceLineage], new: Sequence[SourceLineage]) -> list[str]:
    same = match_sources(list(map(SourceKey.of, old)), list(map(SourceKey.of, new)))
    texts = [
        f"{new[at].name}: {text}"
        for at, was in same.items()
        for text in _edits(old[was].properties, new[at].properties)
    ]
    texts += [f"gone {source.name}" for at, source in enumerate(old) if at not in same.values()]
    return texts + [f"added {source.name}" for at, source in enumerate(new) if at not in same]


def _edits(old: Sequence[Property], new: Sequence[Property]) -> list[str]:
    before, after = ({item.name: item for item in side} for side in (old, new))
    return [
        f"{name}: {' -> '.join(_shown(before.get(name), after.get(name)))}"
        for name in dict.fromkeys([*before, *after])
        if name not in before or name not in after or before[name].digest != after[name].digest
    ]


def _shown(old: Property | None, new: Property | None) -> tuple[str, str]:
    """Old and new value; of long lists only the elements that differ."""
    left, right = ((side.items if side is not None else ()) for side in (old, new))
    if len(left) == len(right):
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if (a.digest, a.type) != (b.digest, b.type)]
        left, right = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    ways: tuple[Callable[[Item], str], ...] = (
        lambda item: item.text,
        lambda item: f"{item.text} {item.type}".strip(),
        lambda item: f"{item.full or item.text} {item.type}".strip(),
    )
    texts = [tuple(", ".join(map(way, side)) or _NONE for side in (left, right)) for way in ways]
    return next(((old_text, new_text) for old_text, new_text in texts if old_text != new_text), (_NONE, _NONE))
