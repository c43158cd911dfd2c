"""Progress of reading state, as a file with the numbers of finished and of all tasks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession

_EVERY_SECONDS = 1.0


@contextmanager
def progress_of(spark: SparkSession, file: Path) -> Iterator[None]:
    """Write the numbers of tasks of the Spark jobs in the block to a file: `{"done": 3, "of": 16}`.

    The number of all tasks grows while Spark plans further stages.
    """
    over = threading.Event()
    tracker = spark.sparkContext.statusTracker()
    before = frozenset(tracker.getJobIdsForGroup())

    def report() -> None:
        while not over.wait(_EVERY_SECONDS):
            done, total = _tasks(tracker, before)
            new = file.with_name(f"{file.name}.new")
            new.write_text(json.dumps({"done": done, "of": total}))
            new.replace(file)

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def with_progress(spark: AbstractContextManager[SparkSession], file: str) -> Iterator[SparkSession]:
    """A session whose progress is written to a file; empty for none."""
    with spark as session, progress_of(session, Path(file)) if file else nullcontext():
        yield session


def _tasks(tracker: StatusTracker, before: frozenset[int]) -> tuple[int, int]:
    """The numbers of finished and of all tasks of the jobs since `before`."""
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup() if job not in before]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    known = [stage for stage in stages if stage is not None]
    return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
