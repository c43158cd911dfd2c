"""Two lists of operators or sources, old and new: which belong together, and what differs in those that do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage.operators import Item, Property

_ABSENT = "none"


@dataclass(frozen=True, slots=True)
class Part:
    """An operator or a source, as it is compared.

    Args:
        name: what it is called: an operator's uid, a source's table.
        kind: parts of different kinds never belong together.
        identity: equal where everything is equal, what is above included.
        place: digest of what is below, to tell equal parts apart.
        properties: see `plans.inspection.lineage.operators.Property`.
        kept: the name was given by a person and says which part of old it is.
    """

    name: str
    kind: str
    identity: str
    properties: tuple[Property, ...]
    place: str = ""
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A property that differs.

    Args:
        part: the name of the operator or source.
        property: the property's name.
        old: what it was.
        new: what it is.
        worded: whether the short texts tell the two apart; what does not may follow from another table.
    """

    part: str
    property: str
    old: str
    new: str
    worded: bool = True


@dataclass(frozen=True, slots=True)
class Pairs:
    """Which parts belong together, and those that stand alone."""

    both: tuple[tuple[Part, Part], ...]
    gone: tuple[Part, ...]
    added: tuple[Part, ...]


def paired(old: Sequence[Part], new: Sequence[Part], *, alike: bool = True) -> Pairs:
    """Find for each new part the old one that it is.

    By the name that a person gave; then by all that a part means, and of several equal ones by what is below them;
    then by name; then, with `alike`, the most alike.
    """
    before, after = list(old), list(new)
    both: list[tuple[Part, Part]] = []

    def take(fits: Callable[[Part, Part], bool], wanted: Iterable[Part]) -> None:
        for part in [each for each in wanted if each in after]:
            found = next((each for each in before if each.kind == part.kind and fits(each, part)), None)
            if found is not None:
                both.append((found, part))
                before.remove(found)
                after.remove(part)

    take(lambda left, right: left.name == right.name, [part for part in after if part.kept])
    free = [part for part in after if not part.kept]
    take(lambda a, b: (a.identity, a.place, a.name) == (b.identity, b.place, b.name), free)
    take(lambda a, b: (a.identity, a.place) == (b.identity, b.place), free)
    take(lambda a, b: (a.identity, a.name) == (b.identity, b.name), free)
    take(lambda a, b: a.identity == b.identity, free)
    take(lambda a, b: a.name == b.name, free)
    while candidates := [(_alike(a, b), a, b) for a in before for b in after if alike and a.kind == b.kind]:
        _, left, right = max(candidates, key=lambda each: each[0])
        both.append((left, right))
        before.remove(left)
        after.remove(right)
    both.sort(key=lambda pair: new.index(pair[1]))
    return Pairs(tuple(both), tuple(before), tuple(after))


def _alike(old: Part, new: Part) -> int:
    digests = {each.name: each.digest for each in old.properties}
    return sum(digests.get(each.name) == each.digest for each in new.properties)


def edits(old: Part, new: Part) -> Iterator[Edit]:
    """The properties that differ between two parts that belong together."""
    before, after = ({each.name: each for each in part.properties} for part in (old, new))
    for name in dict.fromkeys([*before, *after]):
        left, right = before.get(name), after.get(name)
        if left is None or right is None or left.digest != right.digest:
            yield Edit(new.name, name, *_shown(left, right))


def _shown(old: Property | None, new: Property | None) -> tuple[str, str, bool]:
    """Old and new value; of long lists that differ in some places, these places."""
    left, right = ((each.items if each is not None else ()) for each in (old, new))
    if len(left) == len(right):
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if (a.digest, a.type) != (b.digest, b.type)]
        left, right = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    for text in (_short, _typed, _full, _digests):
        shown = tuple(", ".join(map(text, side)) or _ABSENT for side in (left, right))
        if shown[0] != shown[1]:
            return shown[0], shown[1], text is not _full and text is not _digests
    return _ABSENT, _ABSENT, False


def _short(item: Item) -> str:
    return item.text


def _typed(item: Item) -> str:
    return f"{item.text} {item.type}".strip()


def _full(item: Item) -> str:
    return f"{item.full or item.text} {item.type}".strip()


def _digests(item: Item) -> str:
    return f"{_full(item)} (digest {item.digest})"
