"""Two lists of things, old and new: which old one each new one is, and what came, went or changed places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage.operators import Item, listed
from compiled_plan.plans.inspection.lineage.shifts import Shift, related


@dataclass(frozen=True, slots=True)
class Found:
    """A new item that was there before."""

    old: int  # its place in the old list
    new: int  # its place in the new one
    shift: Shift


@dataclass(frozen=True, slots=True)
class ListEdit:
    """The edit of a list."""

    old: tuple[Item, ...]
    new: tuple[Item, ...]
    found: tuple[Found, ...]  # by place in the new list, the items that were there before

    @property
    def added(self) -> tuple[Item, ...]:
        """What was not there."""
        known = {each.new for each in self.found}
        return tuple(item for at, item in enumerate(self.new) if at not in known)

    @property
    def dropped(self) -> tuple[Item, ...]:
        """What is not there any more."""
        known = {each.old for each in self.found}
        return tuple(item for at, item in enumerate(self.old) if at not in known)

    @property
    def is_permuted(self) -> bool:
        """Whether what stays stands in another order."""
        places = [each.old for each in self.found]
        return places != sorted(places)

    @property
    def stays(self) -> bool:
        """True if no item came, went or was rounded before."""
        return not self.added and not self.dropped and not self.rounded

    @property
    def says_something(self) -> bool:
        """Whether anything differs but the rows that the items are of, which are said elsewhere."""
        told = Shift.WIDER | Shift.FINER | Shift.COMPUTED
        return bool(self.added or self.dropped or self.is_permuted or self.shifted(told))

    @property
    def rounded(self) -> tuple[Item, ...]:
        """Items that stay, and were rounded or computed to another type before."""
        return self.shifted(Shift.FINER | Shift.COMPUTED)

    def shifted(self, shift: Shift) -> tuple[Item, ...]:
        """What stays and differs in this way."""
        return tuple(self.new[each.new] for each in self.found if each.shift & shift)

    @property
    def texts(self) -> tuple[str, str]:
        """Old and new in words: what differs of them, all of them where they stand in another order alone."""
        moved = [each for each in self.found if each.shift]
        sides = (
            (*self.dropped, *(self.old[each.old] for each in moved)),
            (*self.added, *(self.new[each.new] for each in moved)),
        )
        if not any(sides):
            sides = (self.old, self.new)
        typed = any(self.old[each.old].text == self.new[each.new].text for each in moved)
        old, new = (listed(side, typed=typed) for side in sides)
        return old, new


def list_edit(old: Sequence[Item], new: Sequence[Item]) -> ListEdit:
    """Find the items of a new list in an old one: equal ones first, then those that are computed alike."""
    found: dict[int, Found] = {}
    free = set(range(len(old)))

    def take(at: int, places: Sequence[tuple[Shift, int]]) -> None:
        if places:
            shift, place = min(places, key=lambda each: (each[0].value, each[1] != at, each[1]))
            found[at] = Found(place, at, shift)
            free.discard(place)

    for at, item in enumerate(new):
        equal = [place for place, each in enumerate(old) if (each.digest, each.type) == (item.digest, item.type)]
        # One old value may become several new ones.
        take(at, [(Shift.NONE, place) for place in equal if place in free] or [(Shift.NONE, each) for each in equal])
    for at, item in enumerate(new):
        if at not in found:
            take(at, [(shift, place) for place in free if (shift := related(old[place], item)) is not None])
    return ListEdit(tuple(old), tuple(new), tuple(found[at] for at in sorted(found)))
