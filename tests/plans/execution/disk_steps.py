"""Single steps of a run on the disk, which tests have fail from one on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from compiled_plan.plans.execution.spark.storage import LocalFolder

#: All that takes room in a local folder, each a single call of the file system.
WRITES = tuple((LocalFolder, name) for name in ("_make_folder", "_write", "_replace", "_link"))
#: All that changes a local folder (one may end halfway).
CHANGES = (*WRITES, (LocalFolder, "_unlink"), (LocalFolder, "_remove_tree"))

Step = Callable[..., Any]


class Crash(Exception):
    """The process is gone."""


class DiskSteps:
    """Counts steps, and has all fail that come after so many: a process that is gone changes nothing any more.

    Args:
        monkeypatch: undoes it.
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
        """Count anew, and have steps fail after so many; None for all that there are.

        Args:
            steps: how many come through.
            partly: does a part of the first step that fails; gets its method and arguments.
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
