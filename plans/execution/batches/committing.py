"""Telling sinks which micro-batches are committed: files of a partition that is complete, transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.batches.following import Follower
from compiled_plan.plans.execution.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.interfaces.connectors import Commits
from compiled_plan.plans.execution.spark.storage import Folder


@dataclass(slots=True)
class Committing:
    """Tells those sinks of a run that wait for it.

    Args:
        waiting: what each of them has to do.
    """

    waiting: Sequence[Commits]
    #: The last micro-batch that was committed before the first was followed; None while nobody has looked.
    _before: int | None = None

    def check(self, *, ends: bool, has_watermark: bool) -> None:
        """Refuse what would never be done; see `Commits.check`."""
        for each in self.waiting:
            each.check(ends=ends, has_watermark=has_watermark)

    def settle(self, follower: Follower, folder: Folder, *, ended: bool) -> None:
        """Tell them how far the run is.

        Args:
            follower: knows the last micro-batch of this run, and the watermark.
            folder: Spark's checkpoint, which knows the last one of the run before.
            ended: whether all rows are written.
        """
        if not self.waiting:
            return
        if self._before is None:
            committed = progress_of(folder).committed
            self._before = -1 if committed is None else committed
        for each in self.waiting:
            each.settle(max(follower.batch, self._before), follower.watermark, ended=ended)
