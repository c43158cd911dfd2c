"""Single disk steps of a run, which tests let fail from one on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from compiled_plan.plans.execution.spark.storage import LocalFolder

#: Operations that need disk space in a local folder, each a single call of the file system.
WRITES = tuple((LocalFolder, name) for name in ("_make_folder", "_write", "_replace", "_link"))
#: Operations that change a local folder (one may end halfway).
CHANGES = (*WRITES, (LocalFolder, "_unlink"), (LocalFolder, "_remove_tree"))

Step = Callable[..., Any]


class Crash(Exception):
    """The process died."""


class DiskSteps:
    """Count steps, and let all fail after a number of them: a dead process changes nothing any more.

    Args:
        monkeypatch: restores the methods.
        steps: classes and the names of their methods.
        failure: makes the error of a step that fails.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        steps: Iterable[tuple[type, str]] = CHANGES,
        failure: Callable[[], Exception] = Crash,
    ) -> None:
        self._failure = failure
        self.allow()
        for owner, name in steps:
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def allow(self, steps: int | None = None, partly: Callable[..., object] | None = None) -> None:
        """Restart the count, and let steps fail after this number; None for no failures.

        Args:
            steps: number of successful steps.
            partly: performs a part of the first failing step; gets its method and arguments.
        """
        self.count, self._steps, self._partly = 0, steps, partly
        self._numbers = itertools.count(1)

    def _counted(self, method: Step) -> Step:
        def call(*arguments: Any, **named: Any) -> Any:
            self.count = number = next(self._numbers)
            if self._steps is None or number <= self._steps:
                return method(*arguments, **named)
            if self._partly is not None and number == self._steps + 1:
                self._partly(method, *arguments, **named)
            raise self._failure()

        return call
