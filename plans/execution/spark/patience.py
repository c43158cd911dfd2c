"""What is outside and away for a while: tried again until it answers, said once, and given up in time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from py4j.protocol import Py4JJavaError

from compiled_plan.plans.execution.spark.java import java_causes

_T = TypeVar("_T")
#: How long between two attempts, in seconds.
_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How something is waited for.

    Args:
        away: the kernel's exception, without its package, that says that it may work later.
        refused: the one that says that it will not.
        seconds: how long it is waited for.
        on_refused: the error to raise for what the second one says.
        on_away: the error to raise for what the first one says in the end.
    """

    away: str
    refused: str
    seconds: float
    on_refused: Callable[[str], Exception]
    on_away: Callable[[str], Exception]

    def patiently(self, action: Callable[[], _T], attempts: int | None = None) -> _T:
        """What an action gives; it is tried again while what it talks to is away, and the first time that is said.

        Args:
            action: may fail with the exceptions of the kernel.
            attempts: how often it is tried again at most; None: as often as the time allows.
        """
        deadline, tried = time.monotonic() + self.seconds, 0
        while True:
            try:
                return action()
            except Py4JJavaError as fault:
                said = self._said(fault)
                if said is None:
                    raise
                message, away = said
                if not away:
                    raise self.on_refused(message) from fault
                if time.monotonic() >= deadline or (attempts is not None and tried >= attempts):
                    raise self.on_away(message) from fault
                if not tried:
                    print(f"waiting for {message}", file=sys.stderr, flush=True)
                tried += 1
                time.sleep(min(_PAUSE, max(0.0, deadline - time.monotonic())))

    def _said(self, fault: Py4JJavaError) -> tuple[str, bool] | None:
        """What the kernel says, and whether that may pass; None where something else went wrong."""
        for cause in reversed(java_causes(fault)):
            text = str(cause.toString())
            for name, away in ((self.away, True), (self.refused, False)):
                if f"{name}: " in text:
                    return text.partition(f"{name}: ")[2].split("\n\tat ")[0].strip(), away
        return None


def attempts(write: Callable[[bool], object], may_be_there: bool) -> Callable[[], None]:
    """A write for `patiently` that is told whether what it writes may be there.

    What an attempt committed before it lost its connection is found by the next one.

    Args:
        write: gets whether it may be there.
        may_be_there: before the first attempt.
    """
    known = may_be_there

    def attempt() -> None:
        nonlocal known
        known, before = True, known
        write(before)

    return attempt
