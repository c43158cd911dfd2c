"""A run in micro-batches: triggers, and the writing of each batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.batches.event_time import EventTime
from compiled_plan.plans.execution.session.options import RunOptions, flag
from compiled_plan.plans.execution.session.spark_session import query_settings
from compiled_plan.plans.execution.session.triggers import trigger_of
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.build import StageBuilder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.digests import record
from compiled_plan.plans.execution.state.checkpoint.records import record_batch
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.inspection.checkpoints import ENDS, WATERMARKS, WRITTEN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

#: Default interval at which a continuous run fires processing-time timers.
_CLOCK_MS = 1000


@dataclass(slots=True)
class MicroBatches:
    """Starts the query of a run in micro-batches, and writes each batch.

    Args:
        sinks: the open sinks.
        options: the options of the run.
        bounded: True if the run ends by itself.
        publish: publishes the generation; sinks receive rows only of a generation that the next start resumes.
        clock: the clock by which micro-batches are planned.
        stepped: True if the clock begins micro-batches; also those without rows, before the end of bounded input.

    Raises:
        ExecutionError: micro-batches are to be retained for a time, and none is between them.
    """

    spark: SparkSession
    prepared: PreparedPlan
    sinks: Sinks
    options: RunOptions
    bounded: bool
    publish: Callable[[], None]
    clock: BatchClock
    stepped: bool = False
    #: Moves the watermark if Spark's own does not suffice.
    event_time: EventTime | None = None
    #: The exception of a micro-batch that failed: Spark keeps only its text.
    failure: Exception | None = None
    #: Number of micro-batches to which the checkpoint can return; None for that of the session.
    retained: int | None = field(init=False)
    _is_bound: bool = False

    def __post_init__(self) -> None:
        self.retained = self._batches_to_retain()

    @property
    def ends(self) -> bool:
        """True if the end of input ends event time: windows close and timers fire."""
        return self.prepared.event_time and not self.options.available_now and self.bounded

    @property
    def _by_clock(self) -> bool:
        return self.prepared.emits_by_processing_time and (self.stepped or not self.bounded)

    @property
    def interval_ms(self) -> int | None:
        """Trigger interval in ms; None to start batches back to back."""
        trigger = trigger_of(self.prepared.sinks, self.options)
        if self.bounded and trigger.origin != "option":
            return None
        return trigger.interval_ms or (_CLOCK_MS if self._by_clock else None)

    def _batches_to_retain(self) -> int | None:
        retain_ms, interval_ms = self.options.retain_for_ms, self.interval_ms
        if retain_ms is None:
            return self.options.retain_batches
        if not interval_ms:
            raise ExecutionError(
                f"{flag('retain_for')} needs a time between micro-batches, and this run starts them back to back",
                remedy=f"add `{flag('trigger')} 10s`, or give {flag('retain_batches')} instead",
            )
        # The first one within the time continues behind the one before it.
        return max(2, math.ceil(retain_ms / interval_ms) + 1)

    @property
    def ends_by_itself(self) -> bool:
        """True if the query ends once it has read all available rows; otherwise it must be stopped."""
        return self.bounded and self.options.trigger_ms is None and not self.ends

    def start(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> StreamingQuery:
        """Start the query.

        Args:
            rows: the rows for all sinks.
            builder: built the rows, and splits them by sink.
            folder: Spark's checkpoint.
        """
        writer = self._writer(rows, builder, folder)
        if self.ends_by_itself:
            writer = writer.trigger(availableNow=True)
        if self.interval_ms is not None:
            writer = writer.trigger(processingTime=f"{self.interval_ms} milliseconds")
        # If the end of input is about to fire all timers, no empty batch needs to fire them before.
        by_watermark = self.prepared.event_time and (self.stepped or not self.ends)
        record(self.spark, folder)
        settings = query_settings(self.spark, by_watermark or self._by_clock, self.retained)
        with settings, self.clock.for_next(self.spark, folder):
            return writer.start()

    def finish(self, rows: DataFrame, builder: StageBuilder, folder: Folder, *, drain: bool) -> StreamingQuery:
        """Start a query that runs the pending micro-batch and ends; see `start`.

        Args:
            rows: the rows for all sinks.
            builder: built the rows, and splits them by sink.
            folder: Spark's checkpoint.
            drain: also read all rows available by now and fire the timers that are due.
        """
        writer = self._writer(rows, builder, folder)
        writer = writer.trigger(availableNow=True) if drain else writer.trigger(once=True)
        record(self.spark, folder)
        with query_settings(self.spark, drain, self.retained), self.clock.for_next(self.spark, folder):
            return writer.start()

    def wait(self, query: StreamingQuery) -> None:
        """Adjust clock and watermark between micro-batches."""
        self.clock.follow()
        if self.event_time is not None and not self.bounded:
            self.event_time.wait(query)

    def _writer(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> DataStreamWriter:
        writer = rows.writeStream.foreachBatch(lambda frame, batch: self._write(frame, batch, builder, folder))
        return writer.outputMode("append").option("checkpointLocation", folder.uri)

    def _bound(self) -> None:
        """At the first micro-batch, bound the input of a query that does not end by itself to the rows available."""
        if self.bounded and not (self.stepped or self.ends_by_itself or self._is_bound):
            kernel = java_class(self.spark._jvm, "org.compiledplan.kernel.host.input.BoundedInput")
            kernel.bound(self.spark._jsparkSession, ENDS)
            self._is_bound = True

    def _write(self, frame: DataFrame, batch: int, builder: StageBuilder, folder: Folder) -> None:
        """Write one micro-batch to all sinks; Spark commits it once every sink has written it."""
        try:
            self.publish()
            self._bound()
            if self.event_time is not None:
                self.event_time.begin(batch)
            self.sinks.write(frame, batch, builder, folder, marked=self.event_time is not None)
            if self.event_time is not None:
                self.event_time.end(batch)
            record_batch(folder, batch, WRITTEN, *([] if self.event_time is None else [WATERMARKS]))
        except Exception as fault:
            self.failure = fault
            raise
