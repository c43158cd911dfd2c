"""SIGINT, SIGTERM and SIGHUP: a command ends with one line, and with 128 and the signal's number as its exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: Signals that end a command: Ctrl-C, `kill` and service managers, a closed terminal.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], object]
#: Seconds from a signal to the end of its command. The exception may be raised between a lock and its release, such as
#: that of `logging`, so that other threads never end.
SECONDS_TO_END = 60.0


class Interrupted(SystemExit):
    """The end of a command by a signal: unwinds its contexts, past all handlers of errors.

    Args:
        number: the signal.
        reported: True if the command has reported its end.
    """

    def __init__(self, number: int, *, reported: bool = False) -> None:
        super().__init__(code_of(number))
        self.signal, self.reported = signal.Signals(number), reported


def code_of(number: int) -> int:
    """The exit code of a command that a signal ended."""
    return 128 + number


@contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """Handle signals in this context, except SIGHUP if `nohup` ignores it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for number in ENDING if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


class Interrupts:
    """The handler of a command: the first signal raises `Interrupted`, a second one ends the process.

    So does the time, `SECONDS_TO_END` after the first one.

    Attributes:
        first: the first signal.
    """

    def __init__(self) -> None:
        self.first: signal.Signals | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; the second one ends the process."""
        if self.first is None:
            self.first = signal.Signals(number)
            signal.signal(signal.SIGALRM, self)
            signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_END)
            raise Interrupted(number)
        overdue = number == signal.SIGALRM
        why = f"no end {SECONDS_TO_END:g} s after {self.first.name}" if overdue else f"{self.first.name} came again"
        # Not by sys.stderr: the signal may interrupt a write to it.
        os.write(2, f"{why}: process ended\n".encode())
        end_process(self.first)


def end_process(number: int) -> None:
    """End this process and Spark's at once, with the code of a signal."""
    end_spark()
    os._exit(code_of(number))


def end_spark() -> None:
    """End Spark's process, if this process has started one."""
    if "pyspark" in sys.modules:
        from compiled_plan.plans.execution.session.stopping import kill_spark

        kill_spark()
