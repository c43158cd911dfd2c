"""Waiting for a condition in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS_TO_WAIT = 120


def wait_until(holds: Callable[[], bool], what: str = "it") -> None:
    """Return once the condition holds; fail after a timeout."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {SECONDS_TO_WAIT} s"
        time.sleep(0.05)
