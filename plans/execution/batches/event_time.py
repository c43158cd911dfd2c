"""Event time in the driver: the watermark of a query with watermarks by partition or idle sources.

Spark derives its watermark from the rows of all sources alike. Here the rows report the watermarks of their partitions
(`PartitionWatermarks`), and the driver sets Spark's watermark after each micro-batch. It also does so while no rows
arrive, if a partition or source becomes idle; Spark then runs an empty micro-batch.

A micro-batch reads all rows that were available at the time for which it was planned, so the silence of a partition is
known up to that time; between micro-batches it is known up to the last time at which Spark looked for rows.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.stages.partitions import WHOLE, PartitionWatermarks, timings
from compiled_plan.plans.execution.state.checkpoint.marks import (
    Marks,
    Silence,
    SourceMarks,
    least,
    read_marks,
    write_marks,
)
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, entry_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.execution.stages.prepared import PreparedPlan


@dataclass(frozen=True, slots=True)
class TimedSource:
    """A source with watermarks.

    Args:
        name: its name in the checkpoint.
        watermarks: the watermarks of its rows.
    """

    name: str
    watermarks: PartitionWatermarks

    def partitions(self, entry: Entry) -> tuple[str, ...]:
        """The names of the partitions that a micro-batch reads."""
        position = entry.positions.get(self.name)
        if not self.watermarks.timing.by_partition:
            return (WHOLE,)
        return () if position is None else partitions_of(position)


def partitions_of(position: str) -> tuple[str, ...]:
    """The partitions in a position of a Kafka source, named as in the rows."""
    return tuple(
        f"{topic}/{partition}" for topic, partitions in json.loads(position).items() for partition in partitions
    )


@dataclass(frozen=True, slots=True)
class QueryWatermark:
    """Spark's watermark of a query; it never decreases. See `QueryWatermark` in the kernel."""

    spark: SparkSession

    def move(self, millis: int) -> None:
        """Set the watermark of the query that runs the current micro-batch."""
        self._kernel.move(self.spark._jsparkSession, millis)

    def move_waiting(self, query: StreamingQuery, millis: int) -> bool:
        """Set the watermark of a query that waits for rows; return False, changing nothing, if it is not waiting."""
        return bool(self._kernel.moveWaiting(query._jsq, millis))

    @property
    def _kernel(self) -> JavaObject:
        return java_class(self.spark._jvm, "org.compiledplan.kernel.host.watermarks.QueryWatermark")


class EventTime:
    """Event time of one query.

    Args:
        folder: the generation on which the query runs.
        sources: the sources with watermarks, by node.
        watermark: Spark's watermark of the query.
        interval: trigger interval in ms; 0 if Spark looks for rows all the time.
        clock: returns the time in ms.
    """

    def __init__(
        self,
        folder: Folder,
        sources: Mapping[int, TimedSource],
        watermark: QueryWatermark,
        interval: int,
        clock: Callable[[], int],
    ) -> None:
        self.folder, self.sources, self.watermark = folder, sources, watermark
        self.interval, self.clock = interval, clock
        self._lock = threading.Lock()
        self._started = self._planned = clock()
        self._marks: Marks | None = None
        self._sources: Mapping[str, SourceMarks] = {}
        self._first: int | None = None
        self._moved_to: int | None = None

    @property
    def columns(self) -> dict[int, PartitionWatermarks]:
        """The watermarks of the rows of each source, by node."""
        return {node: source.watermarks for node, source in self.sources.items()}

    def begin(self, batch: int) -> None:
        """Pass the watermarks of the partitions to the tasks of a micro-batch."""
        with self._lock:
            now, entry = self.clock(), entry_of(self.folder, batch)
            if self._marks is None:
                self._marks, self._first = read_marks(self.folder), batch
            before = self._marks.entering(batch, now)
            if batch == self._marks.batch + 1 and self._sources:
                # Partitions may have become idle since the last micro-batch.
                before = self._sources
            self._planned = int(entry.about["batchTimestampMs"])
            self._sources = {
                timed.name: before.get(timed.name, SourceMarks()).with_partitions(timed.partitions(entry), now)
                for timed in self.sources.values()
            }
            for timed in self.sources.values():
                source = self._sources[timed.name]
                marks = {name: partition.mark for name, partition in source.partitions.items()}
                # As in Flink a run begins without a current watermark.
                timed.watermarks.begin(marks, None if batch == self._first else source.mark)

    def end(self, batch: int) -> None:
        """Collect and store the watermarks that a micro-batch reached, and set Spark's watermark."""
        with self._lock:
            assert self._marks is not None
            before, now = self._sources, self.clock()
            after = {
                timed.name: before[timed.name].after(timed.watermarks.reached(batch), now)
                for timed in self.sources.values()
            }
            silences = self._silences(self._planned)
            self._sources = {name: source.moved(silences[name]) for name, source in after.items()}
            self._marks = Marks(batch, before, self._sources)
            write_marks(self.folder, self._marks)
            mark = least(self._sources, silences)
            if mark is not None and (self._moved_to is None or mark > self._moved_to):
                self._moved_to = mark
                self.watermark.move(mark)

    def wait(self, query: StreamingQuery) -> None:
        """Detect idle partitions while no micro-batch runs."""
        with self._lock:
            if self._marks is None:
                return
            silences = self._silences(self.clock() - self.interval, self._started)
            moved = {name: source.moved(silences[name]) for name, source in self._sources.items()}
            mark = least(moved, silences)
            reached = self._moved_to if mark is None else max(mark, self._moved_to or 0)
            if (moved, reached) != (self._sources, self._moved_to) and self.watermark.move_waiting(query, reached or 0):
                self._sources, self._moved_to = moved, reached

    def _silences(self, until: int, since: int = 0) -> dict[str, Silence]:
        return {timed.name: Silence(timed.watermarks.timing.idle_ms, until, since) for timed in self.sources.values()}


def event_time_of(
    prepared: PreparedPlan,
    spark: SparkSession,
    folder: Folder,
    names: Mapping[int, str],
    interval: int,
    clock: Callable[[], int],
) -> EventTime | None:
    """Event time of a plan's query; None if Spark's own watermark suffices.

    Args:
        folder: the generation on which the query runs.
        names: the names of the plan's sources, by node.
        interval: trigger interval in ms; 0 if Spark looks for rows all the time.
        clock: returns the time in ms.
    """
    sources = {
        node: TimedSource(names[node], PartitionWatermarks.of(spark, timing))
        for node, timing in timings(prepared).items()
    }
    return EventTime(folder, sources, QueryWatermark(spark), interval, clock) if sources else None
