"""Lanes: how much work of one kind goes on and waits at once, so that it never holds up all other requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from compiled_plan.plans.errors import ExecutionError


class BusyError(ExecutionError):
    """Too much work of a kind goes on already."""


class Lane:
    """A number of places for those who work and wait. A request that gets none is refused at once.

    Args:
        what: the work, for messages.
    """

    def __init__(self, what: str, places: int) -> None:
        self._what, self.places = what, places
        self._free = threading.Semaphore(places)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place, until the block ends.

        Raises:
            BusyError: all are taken.
        """
        if not self._free.acquire(blocking=False):
            raise BusyError(f"too many requests wait for {self._what}", remedy="try again in a moment")
        try:
            yield
        finally:
            self._free.release()
