"""SIGINT and SIGTERM in the shell: the first ends a statement, the second the shell."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any, NoReturn


class Terminated(KeyboardInterrupt):
    """SIGTERM: an interrupt that ends the shell, too."""


def terminate(number: int, frame: FrameType | None) -> NoReturn:
    """Handler of SIGTERM."""
    raise Terminated


def uninterrupted(action: Callable[[], Any]) -> None:
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
            except Terminated as interrupt:
                terminated = interrupt
            except KeyboardInterrupt:
                continue
    if terminated is not None:
        raise terminated
