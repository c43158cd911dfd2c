"""When a run that reads what is there and ends is started: every so often, never two at once, none made up for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Schedule:
    """Starts at fixed distances.

    Args:
        every: from one start to the next.
        offset: the first one of a day after midnight, UTC; distances that divide a day are met every day at the
            same times.
    """

    every: timedelta
    offset: timedelta = timedelta()

    def next_after(self, moment: datetime) -> datetime:
        """The first start after a time. Starts that were missed, or fell into a run, are left out.

        Args:
            moment: with a zone.
        """
        start = datetime(1970, 1, 1, tzinfo=UTC) + self.offset
        passed = (moment - start) // self.every
        return start + (passed + 1) * self.every
