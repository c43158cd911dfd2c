"""Flink's event time, row by row: timers fire whenever a row brings a higher watermark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.support.kernel.harness import Change, Values

END = 10**12


class TimedFunction:
    """A keyed function like Flink's, a reference for operators of the kernel."""

    def __init__(self) -> None:
        self.out: list[tuple[str, Values]] = []
        self.watermark = -END
        self._timers: set[tuple[int, str]] = set()

    def register(self, key: str, time: int) -> None:
        """Register a timer."""
        self._timers.add((time, key))

    def emit(self, key: str, *values: Any) -> None:
        """Emit a row."""
        self.out.append((key, values))

    def process(self, row: Change) -> None:
        """Process a row."""
        raise NotImplementedError

    def fire(self, key: str, time: int) -> None:
        """Handle a timer that fires."""
        raise NotImplementedError

    def advance(self, watermark: int) -> None:
        """Fire due timers at a new watermark, including timers that firing registers for earlier times."""
        if watermark <= self.watermark:
            return
        self.watermark = watermark
        while due := [timer for timer in self._timers if timer[0] <= watermark]:
            first = min(due)
            self._timers.remove(first)
            self.fire(first[1], first[0])

    def run(self, rows: Sequence[Change]) -> list[tuple[str, Values]]:
        """The output for a bounded input."""
        for row in rows:
            if row.watermark is not None:
                self.advance(row.watermark)
            self.process(row)
        self.advance(END)
        return self.out
