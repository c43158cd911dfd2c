"""Verdicts on state, and edits of properties with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """The fate of state, from best to worst.

    `FULL`: the new program continues with the state and its results equal those computed from scratch over all data.
    `PARTIAL`: it continues, and the result differs as the reason says. `UNKNOWN`: the effect cannot be determined, such
    as for a Python function whose code changed. `INCOMPATIBLE`: the state has another meaning and cannot be reused.
    """

    FULL = "fully compatible"
    PARTIAL = "partially compatible"
    UNKNOWN = "unknown"
    INCOMPATIBLE = "incompatible"

    @property
    def rank(self) -> int:
        """Position from best to worst; 0 is best."""
        return list(Verdict).index(self)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst verdict; FULL if there are none."""
    return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.FULL)


@dataclass(frozen=True, slots=True)
class PropertyEdit:
    property: str  # its name, such as "key" or "aggregates"
    old: str  # old value in words; empty if it is new
    new: str
    verdict: Verdict = Verdict.FULL  # effect on the state
    why: str = ""  # reason in one sentence: the loss, its start and the affected results; empty without effect
    remedy: str = ""  # what to do, if changing the program does not help
