"""Timings of both sides."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Times:
    """Runs of one process, in turn.

    Args:
        seconds: of each.
        memory: the peak of the process and its children, in MB.
    """

    seconds: tuple[float, ...]
    memory: float

    def measured(self) -> Times:
        """The runs without the first, which warms up."""
        return Times(self.seconds[1:], self.memory)


@dataclass(frozen=True, slots=True)
class Rate:
    """Events per second.

    Args:
        rate: that of the median run.
        spread: half the difference of the slowest and the fastest run, as a share of the median.
        memory: the peak of the process, in MB.
    """

    rate: float
    spread: float = 0.0
    memory: float = 0.0

    @staticmethod
    def of(events: int, times: Times) -> Rate:
        """The rate of runs of a process, each over these events."""
        middle = median(times.seconds)
        return Rate(events / middle, (max(times.seconds) - min(times.seconds)) / 2 / middle, times.memory)
