"""Patience with unavailable systems: retry until they answer, report the wait once, and give up in time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from py4j.protocol import Py4JJavaError

from compiled_plan.plans.execution.spark.java import java_causes

_T = TypeVar("_T")
#: Pause between two attempts, in seconds.
_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """A policy of retries.

    Args:
        away: the kernel's exception, without its package, for a failure that may pass.
        refused: its exception for a failure that will not.
        seconds: how long to retry.
        on_refused: creates the error for the latter.
        on_away: creates the error for the former, when time is up.
    """

    away: str
    refused: str
    seconds: float
    on_refused: Callable[[str], Exception]
    on_away: Callable[[str], Exception]

    def patiently(self, action: Callable[[], _T], attempts: int | None = None) -> _T:
        """Run an action; retry it while the system is unavailable, and report that the first time.

        Args:
            action: may raise the exceptions of the kernel.
            attempts: maximum number of retries; None for no limit but time.
        """
        deadline, tried = time.monotonic() + self.seconds, 0
        while True:
            try:
                return action()
            except Py4JJavaError as fault:
                outcome = self._said(fault)
                if outcome is None:
                    raise
                message, away = outcome
                if not away:
                    raise self.on_refused(message) from fault
                if time.monotonic() >= deadline or (attempts is not None and tried >= attempts):
                    raise self.on_away(message) from fault
                if not tried:
                    print(f"waiting for {message}", file=sys.stderr, flush=True)
                tried += 1
                time.sleep(min(_PAUSE, max(0.0, deadline - time.monotonic())))

    def _said(self, fault: Py4JJavaError) -> tuple[str, bool] | None:
        """The kernel's message, and True if the failure may pass; None for another exception."""
        for cause in reversed(java_causes(fault)):
            text = str(cause.toString())
            for name, away in ((self.away, True), (self.refused, False)):
                if f"{name}: " in text:
                    return text.partition(f"{name}: ")[2].split("\n\tat ")[0].strip(), away
        return None


def attempts(write: Callable[[bool], object], may_be_there: bool) -> Callable[[], None]:
    """A write for `patiently`, with a flag that tells if it may have been committed before.

    An attempt may commit and then lose its connection; the next one finds its data.

    Args:
        write: called with the flag.
        may_be_there: the flag of the first attempt.
    """
    known = may_be_there

    def attempt() -> None:
        nonlocal known
        known, before = True, known
        write(before)

    return attempt
