"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS_TO_WAIT = 120


def wait_until(holds: Callable[[], bool], what: str = "it") -> None:
    """Returns once it holds; fails where that takes too long."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {SECONDS_TO_WAIT} s"
        time.sleep(0.05)
