"""What both sides are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Times:
    """Runs of one process, in turn.

    Args:
        seconds: of each.
        memory: the most that the process and its children had, in MB.
    """

    seconds: tuple[float, ...]
    memory: float

    def measured(self) -> Times:
        """Without the first, which warms up."""
        return Times(self.seconds[1:], self.memory)


@dataclass(frozen=True, slots=True)
class Rate:
    """Events a second.

    Args:
        rate: that of the median run.
        spread: half of what the slowest and the fastest run are apart, as a share of the median.
        memory: the most that the process had, in MB.
    """

    rate: float
    spread: float = 0.0
    memory: float = 0.0

    @staticmethod
    def of(events: int, times: Times) -> Rate:
        """Of the runs of a process, each over these events."""
        middle = median(times.seconds)
        return Rate(events / middle, (max(times.seconds) - min(times.seconds)) / 2 / middle, times.memory)
