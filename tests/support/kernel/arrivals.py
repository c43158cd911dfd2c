"""Rows that arrive out of order, each with the watermark at its arrival, in micro-batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.support.kernel.harness import Change, Step, Values

END = 10**9


@st.composite
def arrivals(
    draw: st.DrawFn,
    values: st.SearchStrategy[Values],
    time: Callable[[Values], int],
    key: Callable[[Values], str],
    *,
    ports: int = 1,
    retracting: bool = False,
    max_size: int = 25,
) -> list[Step]:
    """Micro-batches of rows, the last of which ends the input.

    Like a source: a row arrives at the largest time so far less a delay, and a batch's watermark is at most that of
    the rows of earlier batches. Or rows come one by one, as in real-time mode: due timers fire before
    each row.
    """
    one_by_one = draw(st.booleans())
    delay = draw(st.integers(0, 10))
    reached = -END
    batch_watermark = -END
    live: list[Change] = []
    steps = [Step(0, [], watermark=None)]
    rows: list[Change] = []
    for _ in range(draw(st.integers(1, max_size))):
        if one_by_one:
            steps[-1] = replace(steps[-1], rows=rows)
            rows = []
            steps += [Step(len(steps) + at, [], watermark=reached) for at in (0, 1)]
        elif draw(st.integers(0, 3)) == 0:
            steps[-1] = replace(steps[-1], rows=rows)
            rows = []
            batch_watermark = draw(st.sampled_from([reached, max(batch_watermark, reached - 5), batch_watermark]))
            steps.append(Step(len(steps), [], watermark=batch_watermark))
        taken = draw(st.sampled_from(live)) if retracting and live and draw(st.booleans()) else None
        if taken is not None:
            live.remove(taken)
            rows.append(replace(taken, kind="-D", watermark=reached))
            continue
        row = draw(values)
        rows.append(Change("+I", row, draw(st.integers(0, ports - 1)), key(row), watermark=reached))
        live.append(rows[-1])
        reached = max(reached, time(row) - delay)
    steps[-1] = replace(steps[-1], rows=rows)
    return [*steps, Step(len(steps), [], watermark=END)]


def in_order(steps: list[Step]) -> list[Change]:
    """All rows in the order of their times."""
    return [row for step in steps for row in step.rows]


def watermark(row: Change) -> Any:
    """The watermark at which a row arrives."""
    assert row.watermark is not None
    return row.watermark
