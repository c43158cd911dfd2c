"""Latencies and pauses of a run, from the times when rows were due and when they were done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Minimum length of a pause, in ms.
PAUSE_MS = 250
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figures:
    """Latency figures of the counted rows.

    Args:
        latencies: of all rows, in ms; infinite for a row without a result.
        beside: of the rows that waited neither in a pause nor behind rows that did.
        pauses: the times of more than `PAUSE_MS` without output, in ms.
        behind: per pause, the time until the last row that had waited in it came out, in ms.
    """

    latencies: Numbers
    beside: Numbers
    pauses: Numbers
    behind: Numbers

    @property
    def p99_beside(self) -> float:
        """The 99th percentile outside the pauses, in ms."""
        return _part(self.beside, 0.99)

    def text(self) -> str:
        """Text for people."""
        parts = [_percentiles(self.latencies)]
        if len(self.pauses):
            parts += [f"beside pauses {_percentiles(self.beside)}" if len(self.beside) else "all wait in pauses"]
            pauses = f"{len(self.pauses)} pauses of {np.median(self.pauses):,.0f} ms, at most {self.pauses.max():,.0f}"
            parts += [f"{pauses}, caught up {np.median(self.behind):,.0f} ms later"]
        return f"{'; '.join(parts)}; {len(self.latencies):,} rows"


def figures(rows: Iterable[tuple[float, float]]) -> Figures:
    """The figures of rows.

    Args:
        rows: times when each was due and done, in ms by one clock; done before due means never.

    Raises:
        ValueError: there is no row.
    """
    due, done = np.array(sorted(rows), dtype=float).reshape(-1, 2).T
    if not len(due):
        raise ValueError("no row was sent")
    came = done >= due
    latencies = np.where(came, done - due, np.inf)
    arrivals = np.unique(done[came])
    apart = np.diff(arrivals)
    long = apart > PAUSE_MS
    begin, end = arrivals[:-1][long], arrivals[1:][long]
    waited = np.zeros(len(due), dtype=bool)
    caught_up = np.zeros(len(end))
    for at, over in enumerate(end):
        late = came & (done >= over)
        caught_up[at] = done[late & (due < over)].max()
        waited |= late & (due < caught_up[at])
    return Figures(np.sort(latencies), np.sort(latencies[came & ~waited]), end - begin, caught_up - end)


def _percentiles(sorted_ms: Numbers) -> str:
    middle, most, last = (_part(sorted_ms, part) for part in (0.5, 0.99, 1.0))
    return f"p50 {middle:,.0f} ms, p99 {most:,.0f} ms, most {last:,.0f} ms"


def _part(sorted_ms: Numbers, part: float) -> float:
    """The value that this share of the rows does not exceed."""
    if not len(sorted_ms):
        return float("inf")
    return float(sorted_ms[max(0, int(np.ceil(len(sorted_ms) * part)) - 1)])
