"""Signals at telling and at random moments of starts: one line, the code of the signal, nothing left, right rows."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.signalled import Starts, chain

#: Moments of a start: seconds, or the line before.
MOMENTS = (
    (signal.SIGTERM, "group", 0.3),
    (signal.SIGINT, "group", 2.5),
    (signal.SIGHUP, "process", "running until"),
    (signal.SIGTERM, "group", "rows in"),
    (signal.SIGKILL, "java", "rows in"),
)


@pytest.mark.wide
@pytest.mark.spark
def test_signals_at_telling_moments(tmp_path: Path) -> None:
    starts = Starts(tmp_path / "starts")
    for number, to, after in MOMENTS:
        ending = starts.start(number=number, to=to, after=after)
        assert not ending.faults, (number, to, after, ending)
        assert isinstance(after, float) or ending.code == (1 if to == "java" else 128 + number)
    assert not starts.start().faults
    assert starts.sums() == starts.expected() and not starts.left()


@pytest.mark.deep
@pytest.mark.spark
@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_signals_at_random_moments(seed: int, tmp_path: Path) -> None:
    for what, ending in chain(tmp_path / "starts", seed, 5, 14, migrates=seed % 3 == 2):
        assert not ending.faults, (what, ending)


@pytest.mark.deep
@pytest.mark.spark
@pytest.mark.parametrize("seed", range(4))
def test_twenty_killed_jvms(seed: int, tmp_path: Path) -> None:
    for what, ending in chain(tmp_path / "starts", seed, 5, 14, migrates=seed == 3, kills=True):
        assert not ending.faults, (what, ending)
