"""Rate limits: one token bucket per client."""

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
    """A rate limit per client, which is also the burst size.

    Args:
        per_minute: requests per minute.
        clients: the maximum number of buckets; the least recently used is evicted.
        clock: a monotonic clock in seconds.
    """

    def __init__(self, per_minute: int, clients: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clients, self._clock = per_minute, clients, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, client: str) -> int:
        """Count a request, and return the seconds until it would be allowed; 0 if it is allowed now."""
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
