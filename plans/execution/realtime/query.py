"""A run in real-time mode: its differences from micro-batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyspark
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces.connectors import RowSource
from compiled_plan.plans.execution.realtime.checks import check
from compiled_plan.plans.execution.realtime.inbox import Inbox
from compiled_plan.plans.execution.realtime.sinks import printers, rows_and_description
from compiled_plan.plans.execution.realtime.slots import Slots, check_slots
from compiled_plan.plans.execution.realtime.watermarks import TICK, control_rows
from compiled_plan.plans.execution.session.spark_session import no_query_starts, query_settings
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, table_spec
from compiled_plan.plans.execution.state.checkpoint.digests import record
from compiled_plan.plans.execution.state.checkpoint.marks import marks_of_ticks
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.tables.sources import named
from compiled_plan.plans.inspection.checkpoints import TICKS
from compiled_plan.plans.spark_versions import check_real_time

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.execution.stages.build import StageBuilder
    from compiled_plan.plans.execution.stages.control import ControlRows
    from compiled_plan.plans.execution.state.upgrade.start import Start
    from compiled_plan.plans.execution.tables.sinks import BatchRows, Sinks

_REALTIME = "org.compiledplan.kernel.realtime"
_HOST = "spark.driver.host"


def in_real_time(prepared: PreparedPlan, host: str) -> PreparedPlan:
    """The plan for real-time mode: all its sources enter before the first stage.

    Raises:
        UnsupportedError: a part that does not run in this mode; names it. Or this Spark lacks the mode.
    """
    check_real_time(pyspark.__version__)
    check(prepared, host)
    entries = dict.fromkeys(prepared.layout.entries, 1)
    return replace(prepared, layout=replace(prepared.layout, entries=entries))


def row_clock(spark: SparkSession) -> Column:
    """The time of each row: PROCTIME(), CURRENT_TIMESTAMP."""
    java_class(spark._jvm, f"{_REALTIME}.RowClock").register(spark._jsparkSession)
    return F.call_function("row_clock")


@dataclass(slots=True)
class RealTimeQuery:
    """Starts the query of a run, and counts the rows of its sinks.

    Args:
        sinks: the open sinks.
        interval_ms: time between checkpoints.
        partitions: number of shuffle partitions of each stage.
    """

    spark: SparkSession
    prepared: PreparedPlan
    sinks: Sinks
    interval_ms: int
    partitions: int
    _inbox: Inbox | None = None
    _writer: Any = None
    _folder: Folder | None = None
    _watermarks: Any = None
    _counted: tuple[int, ...] = ()

    @property
    def tick(self) -> str:
        """The `op` of ticks; empty if there is no stage to pass them."""
        return TICK if self.prepared.layout.stages else ""

    def control(self, sources: Mapping[int, RowSource], names: Mapping[int, str], folder: Folder) -> ControlRows | None:
        """The control rows; None if there is no stage.

        Args:
            sources: the opened sources, by node.
            names: their names in the checkpoint.
            folder: the generation on which the plan runs.
        """
        if not self.tick:
            return None
        with no_query_starts():
            control = control_rows(self.spark, self.prepared, sources, names, self.partitions, folder)
            self._watermarks = control.kernel
            return replace(control, ticks=named(control.ticks, TICKS))

    def check(self, sources: Mapping[int, RowSource], start: Start) -> None:
        """Refuse too few slots for all tasks to run at once, and timers that would first fire in micro-batches.

        Args:
            sources: the opened sources, by node.
            start: the start on the checkpoint.

        Raises:
            ExecutionError: too few slots; has the figures.
            CheckpointError: state with event-time timers must be migrated.
        """
        starter = java_class(self.spark._jvm, f"{_REALTIME}.RealTime")
        starter.prepare(self.spark._jsparkSession)
        counts = {self.prepared.tables[node].table.identifier: source.partitions for node, source in sources.items()}
        check_slots(self.spark, Slots(counts, bool(self.tick), len(self.prepared.layout.stages), self.partitions))
        if self.prepared.event_time and start.migrates:
            raise CheckpointError(
                "real-time mode: the state of an operator is converted first, and timers that are due then fire in"
                " micro-batches",
                where=start.store.root.shown,
                remedy="run once with --available-now in place of --trigger real-time",
            )

    def catch_up(self, folder: Folder, finish: Callable[..., None]) -> None:
        """Run in micro-batches whatever real-time mode cannot start with: a pending micro-batch, timers that are due.

        A pending batch has a planned end, and real-time mode would read beyond it. Timers passed by the watermark would
        fire at once in all stages, before the rows of upstream stages arrive.

        Args:
            folder: the generation on which the plan runs.
            finish: runs the pending micro-batch; with `drain` on all available rows, too.
        """
        begun = progress_of(folder).planned is not None
        if begun:
            finish()
        if self.prepared.event_time and (begun or marks_of_ticks(folder) is None):
            finish(drain=True)

    def written(self, rows: DataFrame, builder: StageBuilder) -> DataFrame:
        """The rows for the kernel's writer; raise for everything that can be refused."""
        sinks = [self.sinks[node.id] for node in self.prepared.sinks]
        shown = printers(sinks)
        self._inbox = Inbox(self.spark.conf.get(_HOST, "127.0.0.1") or "127.0.0.1", shown) if shown else None
        frame, description = rows_and_description(builder, rows, self.prepared.sinks, sinks, self._inbox)
        writer = java_class(self.spark._jvm, f"{_REALTIME}.SinkWriter")
        self._writer = writer.of(self.spark._jsparkSession, description, len(sinks))
        self._counted = (0,) * len(sinks)
        return frame

    def start(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> StreamingQuery:
        self._folder = folder
        frame = self.written(rows, builder)
        starter = java_class(self.spark._jvm, f"{_REALTIME}.RealTime")
        record(self.spark, folder)
        with query_settings(self.spark, empty_batches=False):
            return StreamingQuery(starter.start(frame._jdf, self._writer, folder.uri, self.interval_ms))

    def rows(self, batch: int) -> BatchRows:
        """The rows written since the last call, as those of one batch; see `Sinks.rows`."""
        assert self._folder is not None
        counts = tuple(int(self._writer.count(at)) for at in range(len(self._counted)))
        rows: dict[str, int] = {}
        for node, now, before in zip(self.prepared.sinks, counts, self._counted, strict=True):
            name = table_spec(node).identifier
            rows[name] = rows.get(name, 0) + now - before
        self._counted = counts
        self.sinks.count(batch, rows, 0, self._folder)
        return self.sinks.rows(batch)

    def close(self) -> None:
        if self._inbox is not None:
            self._inbox.close()
            self._inbox = None
        if self._watermarks is not None:
            self._watermarks.close()
            self._watermarks = None
