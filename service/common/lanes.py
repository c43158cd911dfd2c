"""Lanes: limits on concurrent and queued work of one kind, so that it does not block other requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from compiled_plan.plans.errors import ExecutionError


class BusyError(ExecutionError):
    """The limit of a lane is reached."""


class Lane:
    """A fixed number of places for running and waiting requests; further requests are refused at once.

    Args:
        what: the kind of work, for messages.
        places: the number of places.
    """

    def __init__(self, what: str, places: int) -> None:
        self._what, self.places = what, places
        self._free = threading.Semaphore(places)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Occupy a place until the block ends.

        Raises:
            BusyError: all places are occupied.
        """
        if not self._free.acquire(blocking=False):
            raise BusyError(f"too many requests wait for {self._what}", remedy="try again in a moment")
        try:
            yield
        finally:
            self._free.release()
