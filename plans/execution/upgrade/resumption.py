"""The old program once more, to finish the micro-batch that it has begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.checkpoint.comparison import Known
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.upgrade.decision import Decision
from compiled_plan.plans.execution.upgrade.start import Start
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Resumption(Start):
    """The program that a checkpoint holds, as it is: nothing is compared, and nothing published.

    Args:
        store: the checkpoint, whose lock is held.
    """

    def __init__(self, store: Store) -> None:
        head = store.head()
        assert head is not None
        files = store.program(head)
        description = read_description(files.description, store.root.shown)
        self.store, self.head = store, head
        self.plan = CompiledPlan.from_json(files.plan)
        self.host: str = description["host"]
        self.decision = Decision(Known({}, description["partitions"], description))
        self._generation = store.generation(head.generation)
        self.run_id = self._generation.run_id

    @contextmanager
    def begun(
        self,
        spark: SparkSession,
        lost: Callable[[], None],
        finish: Callable[[], None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[None]:
        """The lock is held already."""
        yield

    def publish(self) -> None:
        """It counts already."""
