"""When a run that crashed is started again: later each time, up to a bound, and not all pipelines at once."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before the next start.

    Args:
        first: seconds before the first restart.
        factor: how much longer each further wait is.
        most: seconds at most.
        jitter: which part of the wait is left to chance, from 0 to 1.
        healthy: seconds that a run has to last to count as one that went well: the next crash is a first one.
        attempts: restarts in a row before a person is needed; 0 for no bound.
    """

    first: float = 5.0
    factor: float = 2.0
    most: float = 600.0
    jitter: float = 0.5
    healthy: float = 300.0
    attempts: int = 20

    def delay(self, crashes: int, chance: random.Random) -> float:
        """Seconds to wait after so many crashes in a row, the last one counted."""
        exponent = min(max(0, crashes - 1), 64)
        whole = min(self.most, self.first * self.factor**exponent)
        return whole * (1 - self.jitter * chance.random())

    def crashes(self, before: int, lasted: float) -> int:
        """How many crashes there were in a row, with one more of a run that lasted so many seconds."""
        return 1 if lasted >= self.healthy else before + 1

    def gives_up(self, crashes: int) -> bool:
        """Whether so many crashes in a row are enough."""
        return 0 < self.attempts < crashes
