"""Comparison of an old and a new list: matched, added, dropped and reordered items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage.operators import Item, listed
from compiled_plan.plans.inspection.lineage.shifts import Shift, related


@dataclass(frozen=True, slots=True)
class ItemMatch:
    """A new item with its old counterpart."""

    old: int  # position in the old list
    new: int  # position in the new list
    shift: Shift


@dataclass(frozen=True, slots=True)
class ListEdit:
    """The edit of a list."""

    old: tuple[Item, ...]
    new: tuple[Item, ...]
    matches: tuple[ItemMatch, ...]  # matched items, by position in the new list

    @property
    def added(self) -> tuple[Item, ...]:
        known = {match_.new for match_ in self.matches}
        return tuple(item for at, item in enumerate(self.new) if at not in known)

    @property
    def dropped(self) -> tuple[Item, ...]:
        known = {match_.old for match_ in self.matches}
        return tuple(item for at, item in enumerate(self.old) if at not in known)

    @property
    def is_permuted(self) -> bool:
        """Return True if matched items are in another order."""
        places = [match_.old for match_ in self.matches]
        return places != sorted(places)

    @property
    def stays(self) -> bool:
        """Return True if no item was added, dropped or rounded before."""
        return not self.added and not self.dropped and not self.rounded

    @property
    def is_edited(self) -> bool:
        """Return True if anything differs except the rows of the items, which are reported separately."""
        reported = Shift.WIDER | Shift.FINER | Shift.COMPUTED
        return bool(self.added or self.dropped or self.is_permuted or self.shifted(reported))

    @property
    def rounded(self) -> tuple[Item, ...]:
        """Matched items that were rounded or converted to another type before."""
        return self.shifted(Shift.FINER | Shift.COMPUTED)

    def shifted(self, shift: Shift) -> tuple[Item, ...]:
        """Matched items with this shift."""
        return tuple(self.new[match_.new] for match_ in self.matches if match_.shift & shift)

    @property
    def texts(self) -> tuple[str, str]:
        """Old and new items in words: the differing ones, or all if only their order differs."""
        moved = [match_ for match_ in self.matches if match_.shift]
        sides = (
            (*self.dropped, *(self.old[match_.old] for match_ in moved)),
            (*self.added, *(self.new[match_.new] for match_ in moved)),
        )
        if not any(sides):
            sides = (self.old, self.new)
        typed = any(self.old[match_.old].text == self.new[match_.new].text for match_ in moved)
        old, new = (listed(side, typed=typed) for side in sides)
        return old, new


def list_edit(old: Sequence[Item], new: Sequence[Item]) -> ListEdit:
    """Match the items of a new list with an old one: equal ones first, then items that are computed alike."""
    matches: dict[int, ItemMatch] = {}
    free = set(range(len(old)))

    def take(at: int, places: Sequence[tuple[Shift, int]]) -> None:
        if places:
            shift, place = min(places, key=lambda candidate: (candidate[0].value, candidate[1] != at, candidate[1]))
            matches[at] = ItemMatch(place, at, shift)
            free.discard(place)

    for at, item in enumerate(new):
        equal = [
            place for place, old_item in enumerate(old) if (old_item.digest, old_item.type) == (item.digest, item.type)
        ]
        # One old value may be used by several new ones.
        take(at, [(Shift.NONE, place) for place in equal if place in free] or [(Shift.NONE, place) for place in equal])
    for at, item in enumerate(new):
        if at not in matches:
            take(at, [(shift, place) for place in free if (shift := related(old[place], item)) is not None])
    return ListEdit(tuple(old), tuple(new), tuple(matches[at] for at in sorted(matches)))
