"""Latency figures of invented rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench.latency.figures import figures


def test_percentiles_include_missing_rows_as_infinite() -> None:
    actual = figures([(at, at + 5.0) for at in range(98)] + [(98.0, 107.0), (99.0, -1.0)])
    assert actual.text().startswith("p50 5 ms, p99 9 ms, most inf ms")
    assert not len(actual.pauses)


def test_rows_that_waited_in_a_pause_are_separated() -> None:
    before = [(float(at), at + 2.0) for at in range(100)]
    # No output from 101 to 1100: rows wait, also the one sent just before.
    waiting = [(100.5, 1100.0), *((float(at), 1100.0) for at in range(200, 1000, 100))]
    # Rows due in the pause come out by 1120, and rows due meanwhile wait behind them.
    after = [(1050.0, 1120.0), (1110.0, 1125.0), (1120.5, 1123.0)]
    actual = figures(before + waiting + after)
    assert list(actual.pauses) == [999.0]
    assert list(actual.behind) == [20.0]
    assert sorted(actual.beside) == [2.0] * 100 + [2.5]
    assert actual.p99_beside == 2.0
    assert "1 pauses of 999 ms, at most 999, caught up 20 ms later" in actual.text()


def test_a_row_delayed_by_several_pauses_counts_once() -> None:
    actual = figures([(0.0, 1.0), (0.5, 700.0), (0.6, 300.0), (701.0, 702.0)])
    assert list(actual.pauses) == [299.0, 400.0]
    assert list(actual.beside) == [1.0, 1.0]
    assert np.isfinite(actual.latencies).all()


def test_without_rows_there_are_no_figures() -> None:
    with pytest.raises(ValueError, match="no row"):
        figures([])
