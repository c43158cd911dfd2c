"""How many requests a client may send: a bucket for each, which fills evenly."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Rate:
    """So many a minute of each client; as many at once after a pause.

    Args:
        per_minute: how many.
        clients: the buckets that are kept; of the client that was away longest it is forgotten first.
        clock: seconds, never going back.
    """

    def __init__(self, per_minute: int, clients: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clients, self._clock = per_minute, clients, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, client: str) -> int:
        """Count a request: seconds until it would be allowed, 0 where it is."""
        at = self._clock()
        with self._lock:
            bucket = self._buckets.setdefault(client, _Bucket(self._most, at))
            self._buckets.move_to_end(client)
            while len(self._buckets) > self._clients:
                self._buckets.popitem(last=False)
            bucket.left = min(self._most, bucket.left + (at - bucket.at) * self._most / 60)
            bucket.at = at
            if bucket.left < 1:
                return math.ceil((1 - bucket.left) * 60 / self._most)
            bucket.left -= 1
            return 0
