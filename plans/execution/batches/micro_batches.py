"""A run in micro-batches: how often they come, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.batches.event_time import EventTime
from compiled_plan.plans.execution.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.spark_session import query_settings
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.build import StageBuilder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.inspection.checkpoints import ENDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

#: How often a continuous run looks for what is due by processing time, unless the user says.
_CLOCK_MS = 1000


@dataclass(slots=True)
class MicroBatches:
    """Starts the query of a run in micro-batches, and writes each of them.

    Args:
        sinks: the open sinks.
        options: of the run.
        bounded: whether the run ends by itself.
        publish: has the start count; what a sink gets belongs to a checkpoint that the next start finds.
        clock: by which micro-batches are planned.
    """

    spark: SparkSession
    prepared: PreparedPlan
    sinks: Sinks
    options: RunOptions
    bounded: bool
    publish: Callable[[], None]
    clock: BatchClock
    #: Moves the watermark where Spark does not.
    event_time: EventTime | None = None
    #: Why a micro-batch was not written: Spark wraps it in a text, and the exception itself says more.
    failure: Exception | None = None
    _is_bound: bool = False

    @property
    def ends(self) -> bool:
        """True when the end of the input is that of event time: windows close and timers fire."""
        return self.prepared.event_time and not self.options.available_now and self.bounded

    @property
    def _by_clock(self) -> bool:
        return self.prepared.goes_by_the_clock and not self.bounded

    @property
    def interval_ms(self) -> int | None:
        """How often Spark looks for rows; None for as soon as it can."""
        return self.options.trigger_ms or (_CLOCK_MS if self._by_clock else None)

    @property
    def ends_by_itself(self) -> bool:
        """True when the query ends when it has read all that there is; else it has to be stopped."""
        return self.bounded and self.options.trigger_ms is None and not self.ends

    def start(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> StreamingQuery:
        """Start the query.

        Args:
            rows: for all sinks.
            builder: made them, and takes them apart.
            folder: Spark's checkpoint.
        """
        writer = self._writer(rows, builder, folder)
        if self.ends_by_itself:
            writer = writer.trigger(availableNow=True)
        if self.interval_ms is not None:
            writer = writer.trigger(processingTime=f"{self.interval_ms} milliseconds")
        # Where the end of the input is about to fire everything, nothing needs to fire before.
        by_watermark = self.prepared.event_time and not self.ends
        with query_settings(self.spark, by_watermark or self._by_clock), self.clock.for_next(self.spark, folder):
            return writer.start()

    def finish(self, rows: DataFrame, builder: StageBuilder, folder: Folder, *, all_there_is: bool) -> StreamingQuery:
        """Start a query that runs the micro-batch that was begun, and ends; see `start`.

        Args:
            rows: for all sinks.
            builder: made them, and takes them apart.
            folder: Spark's checkpoint.
            all_there_is: whether it goes on with all rows that there are by now, and what is due then.
        """
        writer = self._writer(rows, builder, folder)
        writer = writer.trigger(availableNow=True) if all_there_is else writer.trigger(once=True)
        with query_settings(self.spark, empty_batches=all_there_is), self.clock.for_next(self.spark, folder):
            return writer.start()

    def wait(self, query: StreamingQuery) -> None:
        """Called now and then: the clock may jump, and the watermark move while no rows come."""
        self.clock.follow()
        if self.event_time is not None and not self.bounded:
            self.event_time.wait(query)

    def _writer(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> DataStreamWriter:
        writer = rows.writeStream.foreachBatch(lambda frame, batch: self._write(frame, batch, builder, folder))
        return writer.outputMode("append").option("checkpointLocation", folder.uri)

    def _bound(self) -> None:
        """Have the input of a query that does not end by itself be what is there at its first micro-batch."""
        if self.bounded and not self.ends_by_itself and not self._is_bound:
            kernel = java_class(self.spark._jvm, "org.compiledplan.kernel.host.BoundedInput")
            kernel.bound(self.spark._jsparkSession, ENDS)
            self._is_bound = True

    def _write(self, frame: DataFrame, batch: int, builder: StageBuilder, folder: Folder) -> None:
        """Write one micro-batch to all sinks; the batch is committed when all have it."""
        try:
            self.publish()
            self._bound()
            if self.event_time is not None:
                self.event_time.begin(batch)
            self.sinks.write(frame, batch, builder, folder, marked=self.event_time is not None)
            if self.event_time is not None:
                self.event_time.end(batch)
        except Exception as fault:
            self.failure = fault
            raise
