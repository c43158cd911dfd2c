"""Flink's way with event time, row by row: timers fire whenever a row comes with a higher watermark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.support.kernel.harness import Change, Values

END = 10**12


class TimedFunction:
    """A keyed function after Flink's, to be compared with an operator of the kernel."""

    def __init__(self) -> None:
        self.out: list[tuple[str, Values]] = []
        self.watermark = -END
        self._timers: set[tuple[int, str]] = set()

    def register(self, key: str, time: int) -> None:
        """Ask for a call of `fire`."""
        self._timers.add((time, key))

    def emit(self, key: str, *values: Any) -> None:
        """Give out a row."""
        self.out.append((key, values))

    def process(self, row: Change) -> None:
        """Take a row."""
        raise NotImplementedError

    def fire(self, key: str, time: int) -> None:
        """A timer is due."""
        raise NotImplementedError

    def advance(self, watermark: int) -> None:
        """Fire what is due at a new watermark; timers for earlier times that are set meanwhile fire as well."""
        if watermark <= self.watermark:
            return
        self.watermark = watermark
        while due := [timer for timer in self._timers if timer[0] <= watermark]:
            first = min(due)
            self._timers.remove(first)
            self.fire(first[1], first[0])

    def run(self, rows: Sequence[Change]) -> list[tuple[str, Values]]:
        """What comes out of a bounded input."""
        for row in rows:
            if row.watermark is not None:
                self.advance(row.watermark)
            self.process(row)
        self.advance(END)
        return self.out
