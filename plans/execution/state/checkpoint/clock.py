"""The clock of micro-batches, used for TTLs and processing time: it never goes back, and a jump is an error.

Spark plans each micro-batch for a time and writes it into its log. A clock that is set ahead would expire state for
good, so the machine's clock is compared with the time elapsed since the last reading. Within a run, and after a restart
on a machine that has not been rebooted, the system measures that time, including suspension. Otherwise a jump ahead
cannot be distinguished from a time without a run; a jump of up to ABSENCE is taken for the latter.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.java import JavaObject, java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution.spark.storage import Folder

#: Clock corrections are smaller than this, in ms.
JUMP = 10 * 60_000
#: Longest time without a run, in ms, that is accepted if the system cannot measure it.
ABSENCE = 7 * 24 * 3_600_000

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of the machine's clocks.

    Args:
        wall: the time of day, in ms since 1970.
        up: the time since boot, in ms.
        boot: identifies the boot; empty if the system has no such id.
    """

    wall: int
    up: int
    boot: str = ""

    def ahead_of(self, before: Reading) -> int | None:
        """The jump of the time of day since an earlier reading, in ms; None if unknown."""
        if not self.boot or self.boot != before.boot:
            return None
        return (self.wall - before.wall) - (self.up - before.up)


def reading() -> Reading:
    """Read the clocks of this machine."""
    up = time.clock_gettime_ns(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic_ns()
    return Reading(time.time_ns() // 1_000_000, up // 1_000_000, _boot())


@cache
def _boot() -> str:
    with suppress(OSError):
        return _BOOT.read_text().strip()
    return ""


class BatchClock:
    """The clock of one run.

    Args:
        checkpoint: the checkpoint's folder, for errors.
        last: the time of the last micro-batch, in ms; None if there is none.
        before: the clock reading stored with that batch; None if none was stored.
        strict: raise on a jump; otherwise use the machine's time, but never before `last`.

    Raises:
        CheckpointError: the machine's clock has jumped since the last micro-batch.
    """

    def __init__(
        self,
        checkpoint: str,
        last: int | None = None,
        before: Reading | None = None,
        *,
        strict: bool = True,
    ) -> None:
        self.checkpoint, self.strict = checkpoint, strict
        self._last = last or 0
        self._kernel: JavaObject | None = None
        self._lock = threading.Lock()
        self._at = reading()
        ahead = None if before is None else self._at.ahead_of(before)
        if strict and ahead is not None:
            self._refuse(ahead, JUMP, "since the last micro-batch")
        elif strict and last is not None:
            self._refuse(self._at.wall - last, ABSENCE, "of the last micro-batch")

    def now(self) -> int:
        with self._lock:
            self._last = max(self._last, self._expected())
            return self._last

    def reading(self) -> Reading:
        """The machine's clocks; excludes a jump since `follow`, so that the next start detects it."""
        # Read once: sinks call this in the thread of the micro-batch while `follow` replaces it.
        at, now = self._at, reading()
        return replace(now, wall=at.wall + now.up - at.up)

    def _expected(self) -> int:
        return self.reading().wall

    def follow(self) -> None:
        """Advance to the machine's time.

        Raises:
            CheckpointError: the machine's clock has jumped since the last reading.
        """
        with self._lock:
            now = reading()
            if self.strict:
                self._refuse(now.wall - self._expected(), JUMP, "in the run")
            self._at = now
            if self._kernel is not None:
                self._kernel.follow(now.wall)

    @contextmanager
    def for_next(self, spark: SparkSession, folder: Folder) -> Iterator[None]:
        """Make a query started inside this context on a folder use this clock."""
        if self._kernel is None:
            kernel = java_class(spark._jvm, "org.compiledplan.kernel.host.input.BatchClock")
            # All queries of a run share it: the last one of a run closes windows, and must not go back.
            self._kernel = kernel(self._last, self._expected())
        started = self._kernel.forNext(spark._jsparkSession, folder.uri)
        try:
            yield
        finally:
            started.close()

    def _refuse(self, ahead: int, limit: int, since: str) -> None:
        if -JUMP <= ahead <= limit:
            return
        direction = "ahead" if ahead > 0 else "back"
        effect = "state with a TTL would expire" if ahead > 0 else "nothing with a TTL would expire for that time"
        time_of_day = datetime.fromtimestamp(reading().wall / 1000, UTC).isoformat(timespec="seconds")
        raise CheckpointError(
            f"this machine's clock, {time_of_day}, is {_text(abs(ahead))} {direction} {since}: {effect}",
            where=self.checkpoint,
            remedy="correct the clock and start again; if it is right, start with --allow-clock-jump",
        )


def _text(millis: int) -> str:
    """A duration in its two largest units."""
    minutes = millis // 60_000
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count)
