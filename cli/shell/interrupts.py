"""Signals in the shell: SIGINT ends a statement, SIGTERM and SIGHUP end the shell."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import NoReturn


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: an interrupt that ends the shell, too.

    Args:
        number: the signal.
    """

    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__()
        self.number = number


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Handle the three signals: raise KeyboardInterrupt or Terminated."""
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def uninterrupted(action: Callable[[], object]) -> None:
    """Do something to its end in a thread, whatever interrupts this one; its error is raised here.

    Raises:
        Terminated: SIGTERM came meanwhile.
    """
    terminated = None
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(action)
        while True:
            try:
                future.result()
                break
            except Terminated as end:
                terminated = end
            except KeyboardInterrupt:
                continue
    if terminated is not None:
        raise terminated
