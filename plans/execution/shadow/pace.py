"""The pace of a shadow run, which takes a share of the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

#: Seconds between two looks at a condition.
POLL_SECONDS = 0.2


@dataclass(slots=True)
class Pace:
    """Pauses after work, so that it takes a share of the time.

    Args:
        share: the share in per cent.
        stopped: returns True once no pause is needed any more.
    """

    share: int
    stopped: Callable[[], bool]
    _since: float = field(default_factory=time.monotonic)

    def pause(self) -> None:
        """Wait for as long as the work since the last pause demands."""
        end = time.monotonic() + (time.monotonic() - self._since) * (100 - self.share) / self.share
        while not self.stopped() and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, POLL_SECONDS))
        self._since = time.monotonic()
