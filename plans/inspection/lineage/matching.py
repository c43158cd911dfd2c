"""Which operators of a new plan are those of an old one: by lineage, then by likeness where nothing is ambiguous."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from compiled_plan.plans.inspection.lineage.operators import Lineage, OperatorLineage, Property, Role
from compiled_plan.plans.inspection.lineage.plans import lineage_of, places
from compiled_plan.plans.inspection.lineage.same_tables import tellings
from compiled_plan.plans.inspection.lineage.shifts import related
from compiled_plan.plans.plan import CompiledPlan

#: How alike two operators are: what does not differ, whether their rows go the same way, how much is equal.
_Score = tuple[int, int, int]


class How(Enum):
    """How an old operator was found for a new one."""

    NAME = "it has its uid"
    LINEAGE = "it is the same operator"
    LIKENESS = "it is the only one that is like it"


@dataclass(frozen=True, slots=True)
class Match:
    """An operator of the old plan and the one of the new plan that it is, by node ids."""

    old: int
    new: int
    how: How  # how the two were found to belong together
    differing: tuple[str, ...] = ()  # names of the properties that differ, of what the operators are by themselves


@dataclass(frozen=True, slots=True)
class Matching:
    """All operators of two plans: those that belong together, and by node ids those that stand alone."""

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
    """Find for each operator of a new plan the one of an old plan that it is.

    Equal lineage comes first: with all that stands above, then what an operator is by itself; of several equal ones
    where their rows go decides. Then, with keys that are found again, the one that is more alike than any other, from
    both sides. Tables are known by where their rows are, then by their names. Ids and the order of nodes play no part.
    Nodes of `named` are, by their uids, those of the old plan; operators of two kinds are never one. `lineages` are of
    both plans, by tables that are told apart as `same_tables.tellings` says. With `loose`, an operator may have another
    key if it has the same rows and nothing else is like it: to say of it what was changed, not to go on with its state.
    """
    if lineages is None:
        before, after = tellings(old, new)
        lineages = lineage_of(old, telling=before), lineage_of(new, telling=after)
    return _Search(_candidates(old, lineages[0]), _candidates(new, lineages[1])).run(named or {}, loose=loose)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    node: int
    operator: OperatorLineage
    place: str
    way: str
    properties: Mapping[str, Property]


def _candidates(plan: CompiledPlan, lineage: Lineage) -> list[_Candidate]:
    below, ways = places(plan), places(plan, projections=True)
    return [
        _Candidate(each.node, each, below[each.node], ways[each.node], {one.name: one for one in each.properties})
        for each in lineage.operators
    ]


_Key = Callable[[_Candidate], Hashable]
_Alike = Callable[[_Candidate, _Candidate], _Score | None]
#: What makes two operators one, strictest first, and whether several that have it may be paired in any order: what is
#: equal with all that is above holds the same state.
_LEVELS: tuple[tuple[_Key, bool], ...] = (
    (lambda each: (each.operator.identity, each.place, each.way), True),
    (lambda each: (each.operator.identity, each.place), True),
    (lambda each: each.operator.identity, True),
    (lambda each: (each.operator.kind, each.operator.own, each.place), False),
    (lambda each: (each.operator.kind, each.operator.own), False),
)


@dataclass(slots=True)
class _Search:
    old: list[_Candidate]
    new: list[_Candidate]
    found: list[Match] = field(default_factory=list)
    likeness: dict[tuple[_Candidate, _Candidate, _Alike], _Score | None] = field(default_factory=dict)

    def run(self, named: Mapping[int, int], *, loose: bool) -> Matching:
        order = [each.node for each in self.new]
        self._by_name(named)
        for key, any_order in _LEVELS:
            self._by_key(key, any_order)
        while self._by_likeness(_likeness):
            pass
        while loose and self._by_likeness(_likeness, ties=True):
            pass
        while loose and self._by_likeness(_loosely):
            pass
        self.found.sort(key=lambda each: order.index(each.new))
        return Matching(tuple(self.found), tuple(each.node for each in self.old), tuple(each.node for each in self.new))

    def _by_name(self, named: Mapping[int, int]) -> None:
        olds = {each.node: each for each in self.old}
        pairs = [(olds[named[each.node]], each) for each in self.new if named.get(each.node) in olds]
        self._take([(old, new) for old, new in pairs if old.operator.kind == new.operator.kind], How.NAME)

    def _by_key(self, key: Callable[[_Candidate], Hashable], any_order: bool) -> None:
        olds, news = _grouped(self.old, key), _grouped(self.new, key)
        for value, there in news.items():
            here = olds.get(value, [])
            if here and (any_order or len(here) == len(there) == 1):
                ordered = (sorted(side, key=lambda each: (each.place, each.way)) for side in (here, there))
                self._take(zip(*ordered, strict=False), How.LINEAGE)

    def _by_likeness(self, alike: _Alike, *, ties: bool = False) -> bool:
        """Pair those that are more like each other than any other is like one of them; whether there were any.

        With `ties` the first of several that are as much alike.
        """
        kinds = _grouped(self.old, lambda each: each.operator.kind)
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
        # Of each operator the two best scores: one is its own, the other its rivals'.
        best: dict[_Candidate, list[_Score]] = defaultdict(list)
        for pair, score in scores.items():
            for each in pair:
                best[each] = sorted([*best[each], score], reverse=True)[:2]
        found = [
            pair
            for pair, score in scores.items()
            if all(best[each][0] == score and (len(best[each]) == 1 or best[each][1] < score) for each in pair)
        ]
        self._take(found, How.LIKENESS)
        return bool(found)

    def _likeness(self, old: _Candidate, new: _Candidate, alike: _Alike) -> _Score | None:
        known = old, new, alike
        if known not in self.likeness:
            self.likeness[known] = alike(old, new)
        return self.likeness[known]

    def _take(self, pairs: Iterable[tuple[_Candidate, _Candidate]], how: How) -> None:
        for old, new in pairs:
            self.old.remove(old)
            self.new.remove(new)
            self.found.append(Match(old.node, new.node, how, _differing(old, new)))


def _grouped(
    candidates: Sequence[_Candidate], key: Callable[[_Candidate], Hashable]
) -> dict[Hashable, list[_Candidate]]:
    found: dict[Hashable, list[_Candidate]] = defaultdict(list)
    for each in candidates:
        found[key(each)].append(each)
    return found


def _likeness(old: _Candidate, new: _Candidate) -> _Score | None:
    """How alike two operators are; None where they are not one operator that was changed.

    Their keys must be found again, or state under one could not be found under the other. Where rows go elsewhere,
    only one thing may differ of what they do.
    """
    keys = [each for each in new.operator.properties if each.role is Role.KEY]
    if not all(_equal(old, new, each.name) for each in keys):
        return None
    if not any(each.items for each in keys) and not _share_rows(old, new):
        return None
    if len(_differing(old, new)) > 1 and old.place != new.place:
        return None
    return _score(old, new)


def _loosely(old: _Candidate, new: _Candidate) -> _Score | None:
    """The same of operators that may have other keys: of the same rows."""
    return _score(old, new) if _share_rows(old, new) else None


def _score(old: _Candidate, new: _Candidate) -> _Score:
    equal = sum(_equal(old, new, each.name) for each in new.operator.properties)
    return -len(_differing(old, new)), int(old.place == new.place), equal


def _share_rows(old: _Candidate, new: _Candidate) -> bool:
    """Whether to each input some of the same rows come."""
    before, after = (_rows(each) for each in (old, new))
    return before.keys() == after.keys() and all(before[name] & rows for name, rows in after.items())


def _rows(candidate: _Candidate) -> dict[str, set[str]]:
    """By the property that says of which rows an operator is, the digests of these."""
    return {
        each.name: {
            part.digest
            for item in each.items
            if (found := item.meaning) is not None
            for part in (found.parts if found.head == "either" else (found,))
        }
        for each in candidate.operator.properties
        if each.subject == "rows"
    }


def _differing(old: _Candidate, new: _Candidate) -> tuple[str, ...]:
    names = [each.name for side in (old, new) for each in side.operator.properties if each.role is not Role.AROUND]
    return tuple(name for name in dict.fromkeys(names) if not _equal(old, new, name))


def _equal(old: _Candidate, new: _Candidate, name: str) -> bool:
    """Whether a property means the same, types that only became wider aside."""
    here, there = old.properties.get(name), new.properties.get(name)
    if here is None or there is None or len(here.items) != len(there.items):
        return False
    pairs = zip(here.items, there.items, strict=True)
    return all(one.digest == two.digest or related(one, two) is not None for one, two in pairs)
