"""Verdicts on state, and edits of properties with theirs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """The fate of state, from best to worst.

    `FULL`: the new program goes on with the state and gives what it gives from scratch over all data. `PARTIAL`: it
    goes on, and the result differs in what the reason says. `UNKNOWN`: nobody can tell, as of a Python function whose
    code changed. `INCOMPATIBLE`: the state means something else, and cannot be used.
    """

    FULL = "fully compatible"
    PARTIAL = "partially compatible"
    UNKNOWN = "unknown"
    INCOMPATIBLE = "incompatible"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Verdict).index(self)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; FULL of none."""
    return max(verdicts, key=lambda each: each.rank, default=Verdict.FULL)


@dataclass(frozen=True, slots=True)
class PropertyEdit:
    """A property that differs."""

    property: str  # its name, such as "key" or "aggregates"
    old: str  # what it was, in words; empty where it was not there
    new: str
    verdict: Verdict = Verdict.FULL  # what it does to the state
    why: str = ""  # a sentence that says so: what is lost, from when, for which results; empty where nothing is
    remedy: str = ""  # what to do about it, where that is not a matter of the program
