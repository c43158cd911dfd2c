"""Waiting for a condition in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS_TO_WAIT = 120


def wait_until(
    holds: Callable[[], bool], what: str = "it", *, seconds: float = SECONDS_TO_WAIT, interval: float = 0.05
) -> None:
    """Return once the condition holds; fail after a timeout.

    Args:
        holds: the condition.
        what: its subject in the error.
        seconds: the timeout.
        interval: seconds between two evaluations.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds} s"
        time.sleep(interval)
