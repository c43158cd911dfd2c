"""Ages of state entries when rows use them, as a checkpoint holds them: the basis of advice on TTLs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class UseAges:
    """Uses of the entries of one state entry by their age: the time since the last write.

    Args:
        ttl: the TTL in ms under which they were observed; no later use is seen. 0 never expires.
        since: the time at which the observation began, in ms since 1970.
        uses: number of uses by range of ages; a range is named by its end in ms, which is not part of it.
    """

    ttl: int
    since: int
    uses: Mapping[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of uses."""
        return sum(self.uses.values())

    def plus(self, more: Mapping[int, int]) -> UseAges:
        """Add uses by range of ages."""
        return UseAges(self.ttl, self.since, Counter(self.uses) + Counter(more))

    def met(self, share: Fraction) -> int | None:
        """The least end of a range that leaves this share of uses below it; None without uses.

        Under a TTL of that many ms the uses would still have met their entry.
        """
        ends = sorted(self.uses)
        reached = accumulate(self.uses[end] for end in ends)
        needed = share * self.total
        return next((end for end, uses in zip(ends, reached, strict=True) if uses >= needed), None)

    def document(self) -> dict[str, object]:
        """The form in a checkpoint."""
        return {"ttl": self.ttl, "since": self.since, "uses": {str(end): self.uses[end] for end in sorted(self.uses)}}


def use_ages_in(documents: object) -> tuple[UseAges, ...]:
    """Parse the ages of the state entries of an operator; a damaged document has none."""
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        return tuple(map(_parsed, cast("Sequence[Any]", documents)))
    return ()


def _parsed(document: Any) -> UseAges:
    ttl, since, uses = document["ttl"], document["since"], document["uses"]
    return UseAges(int(ttl), int(since), {int(end): int(count) for end, count in uses.items()})


def carried(ages: Sequence[UseAges], ttls: Sequence[int], now: int) -> tuple[UseAges, ...]:
    """Continue the observation of each state entry whose TTL is the same, and begin that of the others.

    Args:
        ages: the observations of earlier runs.
        ttls: the TTLs of the program that starts, in ms.
        now: the time in ms since 1970.
    """
    former = dict(enumerate(ages))
    fresh = [UseAges(ttl, now) for ttl in ttls]
    return tuple(
        former[at] if at in former and former[at].ttl == entry.ttl else entry for at, entry in enumerate(fresh)
    )
