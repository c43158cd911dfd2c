"""Matching of a new plan's operators with an old plan's: by lineage, then by similarity if unambiguous."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from compiled_plan.plans.inspection.lineage.operators import Lineage, OperatorLineage, Property, Role
from compiled_plan.plans.inspection.lineage.plans import lineage_of, places, sinks_of
from compiled_plan.plans.inspection.lineage.same_tables import table_identities
from compiled_plan.plans.inspection.lineage.shifts import related
from compiled_plan.plans.plan import CompiledPlan

#: Similarity of two operators: negated number of differences, equal destination of rows, number of equal properties,
#: share of common sinks.
_Score = tuple[int, int, int, float]


class How(Enum):
    """Criterion by which an operator was matched with one of the old plan."""

    NAME = "it has its uid"
    LINEAGE = "it is the same operator"
    LIKENESS = "it is the only one that is like it"


@dataclass(frozen=True, slots=True)
class Match:
    """Node ids of an old operator and of its successor in the new plan."""

    old: int
    new: int
    how: How  # the criterion that matched them
    differing: tuple[str, ...] = ()  # names of the operators' own properties that differ


@dataclass(frozen=True, slots=True)
class Matching:
    """All operators of two plans: matches, and the node ids of the unmatched ones."""

    matches: tuple[Match, ...]
    gone: tuple[int, ...]
    added: tuple[int, ...]


def match_operators(
    old: CompiledPlan,
    new: CompiledPlan,
    named: Mapping[int, int] | None = None,
    lineages: tuple[Lineage, Lineage] | None = None,
    *,
    loose: bool = False,
) -> Matching:
    """Match each operator of a new plan with its predecessor in an old plan.

    Equal lineage comes first: including everything upstream, then of the operator itself; ties are broken by the
    destination of rows. Then, with keys that still find their state, the mutually most similar operators. Tables are
    identified by the location of their rows, then by their names. Ids and the order of nodes are irrelevant.

    Args:
        named: nodes of the new plan -> nodes of the old plan with the same uid; operators of different kinds never
            match.
        lineages: of both plans, with tables identified by `same_tables.table_identities`.
        loose: also match an operator whose key changed, if it has the same rows and nothing else is similar; for
            reports, not for reusing state.
    """
    if lineages is None:
        before, after = table_identities(old, new)
        lineages = lineage_of(old, identity_of=before), lineage_of(new, identity_of=after)
    return _Search(_candidates(old, lineages[0]), _candidates(new, lineages[1])).run(named or {}, loose=loose)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    node: int
    operator: OperatorLineage
    place: str
    path: str
    sinks: frozenset[str]
    properties: Mapping[str, Property]


def _candidates(plan: CompiledPlan, lineage: Lineage) -> list[_Candidate]:
    below, paths, sinks = places(plan), places(plan, projections=True), sinks_of(plan)
    return [
        _Candidate(
            operator.node,
            operator,
            below[operator.node],
            paths[operator.node],
            sinks[operator.node],
            {property_.name: property_ for property_ in operator.properties},
        )
        for operator in lineage.operators
    ]


_Key = Callable[[_Candidate], Hashable]
_Alike = Callable[[_Candidate, _Candidate], _Score | None]
#: Criteria from strict to loose, and True if ambiguous operators may be paired in any order: operators that are equal
#: with everything upstream hold the same state.
_LEVELS: tuple[tuple[_Key, bool], ...] = (
    (lambda candidate: (candidate.operator.identity, candidate.place, candidate.path), True),
    (lambda candidate: (candidate.operator.identity, candidate.place), True),
    (lambda candidate: candidate.operator.identity, True),
    (lambda candidate: (candidate.operator.kind, candidate.operator.own, candidate.place), False),
    (lambda candidate: (candidate.operator.kind, candidate.operator.own), False),
)


@dataclass(slots=True)
class _Search:
    old: list[_Candidate]
    new: list[_Candidate]
    matches: list[Match] = field(default_factory=list)
    likeness: dict[tuple[_Candidate, _Candidate, _Alike], _Score | None] = field(default_factory=dict)

    def run(self, named: Mapping[int, int], *, loose: bool) -> Matching:
        order = [candidate.node for candidate in self.new]
        self._by_name(named)
        for key, any_order in _LEVELS:
            self._by_key(key, any_order)
        while self._by_likeness(_likeness):
            pass
        while loose and self._by_likeness(_likeness, ties=True):
            pass
        while loose and self._by_likeness(_loosely):
            pass
        self.matches.sort(key=lambda match_: order.index(match_.new))
        return Matching(
            tuple(self.matches),
            tuple(candidate.node for candidate in self.old),
            tuple(candidate.node for candidate in self.new),
        )

    def _by_name(self, named: Mapping[int, int]) -> None:
        olds = {candidate.node: candidate for candidate in self.old}
        pairs = [
            (olds[named[candidate.node]], candidate) for candidate in self.new if named.get(candidate.node) in olds
        ]
        self._take([(old, new) for old, new in pairs if old.operator.kind == new.operator.kind], How.NAME)

    def _by_key(self, key: Callable[[_Candidate], Hashable], any_order: bool) -> None:
        olds, news = _grouped(self.old, key), _grouped(self.new, key)
        for value, there in news.items():
            here = olds.get(value, [])
            if here and (any_order or len(here) == len(there) == 1):
                ordered = (
                    sorted(side, key=lambda candidate: (candidate.place, candidate.path)) for side in (here, there)
                )
                self._take(zip(*ordered, strict=False), How.LINEAGE)

    def _by_likeness(self, alike: _Alike, *, ties: bool = False) -> bool:
        """Pair mutually most similar operators; return True if there were any.

        With `ties`, pair the first of several equally similar ones.
        """
        kinds = _grouped(self.old, lambda candidate: candidate.operator.kind)
        scores = {
            (old, new): score
            for new in self.new
            for old in kinds.get(new.operator.kind, ())
            if (score := self._likeness(old, new, alike)) is not None
        }
        if ties:
            best_of_all = max(scores, key=lambda pair: scores[pair], default=None)
            self._take([best_of_all] if best_of_all is not None else [], How.LIKENESS)
            return best_of_all is not None
        # Each operator's two best scores: one is its partner's, the other the best rival's.
        best: dict[_Candidate, list[_Score]] = defaultdict(list)
        for pair, score in scores.items():
            for member in pair:
                best[member] = sorted([*best[member], score], reverse=True)[:2]
        winners = [
            pair
            for pair, score in scores.items()
            if all(
                best[candidate][0] == score and (len(best[candidate]) == 1 or best[candidate][1] < score)
                for candidate in pair
            )
        ]
        self._take(winners, How.LIKENESS)
        return bool(winners)

    def _likeness(self, old: _Candidate, new: _Candidate, alike: _Alike) -> _Score | None:
        known = old, new, alike
        if known not in self.likeness:
            self.likeness[known] = alike(old, new)
        return self.likeness[known]

    def _take(self, pairs: Iterable[tuple[_Candidate, _Candidate]], how: How) -> None:
        for old, new in pairs:
            self.old.remove(old)
            self.new.remove(new)
            self.matches.append(Match(old.node, new.node, how, _differing(old, new)))


def _grouped(
    candidates: Sequence[_Candidate], key: Callable[[_Candidate], Hashable]
) -> dict[Hashable, list[_Candidate]]:
    groups: dict[Hashable, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[key(candidate)].append(candidate)
    return groups


def _likeness(old: _Candidate, new: _Candidate) -> _Score | None:
    """Similarity of two operators; None if one cannot be an edited version of the other.

    Their keys must be equal apart from widened types, or state under one could not be found under the other. If rows go
    elsewhere, at most one of their own properties may differ.
    """
    keys = [property_ for property_ in new.operator.properties if property_.role is Role.KEY]
    if not all(_equal(old, new, property_.name) for property_ in keys):
        return None
    if not any(property_.items for property_ in keys) and not _share_rows(old, new):
        return None
    if len(_differing(old, new)) > 1 and old.place != new.place:
        return None
    return _score(old, new)


def _loosely(old: _Candidate, new: _Candidate) -> _Score | None:
    """Similarity of two operators that may have different keys but share rows."""
    return _score(old, new) if _share_rows(old, new) else None


def _score(old: _Candidate, new: _Candidate) -> _Score:
    equal = sum(_equal(old, new, property_.name) for property_ in new.operator.properties)
    shared = len(old.sinks & new.sinks) / max(len(old.sinks | new.sinks), 1)
    return -len(_differing(old, new)), int(old.place == new.place), equal, shared


def _share_rows(old: _Candidate, new: _Candidate) -> bool:
    """Return True if the operators share some input rows on every input."""
    before, after = (_rows(candidate) for candidate in (old, new))
    return before.keys() == after.keys() and all(before[name] & rows for name, rows in after.items())


def _rows(candidate: _Candidate) -> dict[str, set[str]]:
    """Digests of the input rows by property name."""
    return {
        property_.name: {
            part.digest
            for item in property_.items
            if (meaning := item.meaning) is not None
            for part in (meaning.parts if meaning.head == "either" else (meaning,))
        }
        for property_ in candidate.operator.properties
        if property_.subject == "rows"
    }


def _differing(old: _Candidate, new: _Candidate) -> tuple[str, ...]:
    names = [
        property_.name
        for side in (old, new)
        for property_ in side.operator.properties
        if property_.role is not Role.AROUND
    ]
    return tuple(name for name in dict.fromkeys(names) if not _equal(old, new, name))


def _equal(old: _Candidate, new: _Candidate, name: str) -> bool:
    """Return True if a property has the same meaning, ignoring widened types."""
    here, there = old.properties.get(name), new.properties.get(name)
    if here is None or there is None or len(here.items) != len(there.items):
        return False
    pairs = zip(here.items, there.items, strict=True)
    return all(
        old_item.digest == new_item.digest or related(old_item, new_item) is not None for old_item, new_item in pairs
    )
