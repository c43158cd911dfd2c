"""A run in real-time mode: what differs from one in micro-batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.marks import marks_of_ticks
from compiled_plan.plans.execution.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.interfaces.connectors import RowSource
from compiled_plan.plans.execution.realtime.checks import check
from compiled_plan.plans.execution.realtime.inbox import Inbox
from compiled_plan.plans.execution.realtime.sinks import printers, rows_and_description
from compiled_plan.plans.execution.realtime.slots import Slots, check_slots
from compiled_plan.plans.execution.realtime.watermarks import TICK, control_rows
from compiled_plan.plans.execution.session.spark_session import no_query_starts, query_settings
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, table_spec
from compiled_plan.plans.execution.tables.sources import named
from compiled_plan.plans.inspection.checkpoints import TICKS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.execution.stages.build import StageBuilder
    from compiled_plan.plans.execution.stages.control import ControlRows
    from compiled_plan.plans.execution.tables.sinks import BatchRows, Sinks
    from compiled_plan.plans.execution.upgrade.start import Start

_REALTIME = "org.compiledplan.kernel.realtime"
_HOST = "spark.driver.host"


def in_real_time(prepared: PreparedPlan, host: str) -> PreparedPlan:
    """The plan as real-time mode runs it: all its sources enter in front of the first stage.

    Raises:
        UnsupportedError: something that does not run in this mode; names it.
    """
    check(prepared, host)
    entries = dict.fromkeys(prepared.layout.entries, 1)
    return replace(prepared, layout=replace(prepared.layout, entries=entries))


def row_clock(spark: SparkSession) -> Column:
    """The time of each row: PROCTIME(), CURRENT_TIMESTAMP."""
    java_class(spark._jvm, f"{_REALTIME}.RowClock").register(spark._jsparkSession)
    return F.call_function("row_clock")


@dataclass(slots=True)
class RealTimeQuery:
    """Starts the query of a run, and counts what its sinks got.

    Args:
        sinks: the open sinks.
        interval_ms: between checkpoints.
        partitions: of each stage.
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
        """What `op` says of ticks; empty where there is no stage that they pass."""
        return TICK if self.prepared.layout.stages else ""

    def control(self, sources: Mapping[int, RowSource], names: Mapping[int, str], folder: Folder) -> ControlRows | None:
        """The control rows; None where there is no stage.

        Args:
            sources: the opened sources, by node.
            names: under which the checkpoint knows them.
            folder: the generation that the plan runs on.
        """
        if not self.tick:
            return None
        with no_query_starts():
            control = control_rows(self.spark, self.prepared, sources, names, self.partitions, folder)
            self._watermarks = control.kernel
            return replace(control, ticks=named(control.ticks, TICKS))

    def check(self, sources: Mapping[int, RowSource], start: Start) -> None:
        """Refuse where not all tasks can run at once, and where timers would fire in micro-batches first.

        Args:
            sources: the opened sources, by node.
            start: on the checkpoint.

        Raises:
            ExecutionError: too few slots; has the figures.
            CheckpointError: state moves that timers in event time are in.
        """
        starter = java_class(self.spark._jvm, f"{_REALTIME}.RealTime")
        starter.prepare(self.spark._jsparkSession)
        counts = {self.prepared.tables[node].table.identifier: source.partitions for node, source in sources.items()}
        check_slots(self.spark, Slots(counts, bool(self.tick), len(self.prepared.layout.stages), self.partitions))
        if self.prepared.event_time and start.moves:
            raise CheckpointError(
                "real-time mode: the state of an operator is converted first, and timers that are due then fire in"
                " micro-batches",
                where=start.store.root.shown,
                remedy="run once with --available-now in place of --trigger real-time",
            )

    def catch_up(self, folder: Folder, finish: Callable[..., None]) -> None:
        """Run what real-time mode cannot begin with: a micro-batch that was begun, timers that are due.

        A batch that was begun has an end that was planned, and real-time mode would read on behind it. Timers that the
        watermark has passed would fire at once in all stages, before the rows of the stages in front have come.

        Args:
            folder: the generation that the plan runs on.
            finish: runs the micro-batch that was begun; with `all_there_is` all rows that there are, too.
        """
        begun = progress_of(folder).planned is not None
        if begun:
            finish()
        if self.prepared.event_time and (begun or marks_of_ticks(folder) is None):
            finish(all_there_is=True)

    def written(self, rows: DataFrame, builder: StageBuilder) -> DataFrame:
        """The rows as the kernel's writer takes them; whatever can be refused is refused here."""
        sinks = [self.sinks[node.id] for node in self.prepared.sinks]
        shown = printers(sinks)
        self._inbox = Inbox(self.spark.conf.get(_HOST, "127.0.0.1") or "127.0.0.1", shown) if shown else None
        frame, description = rows_and_description(builder, rows, self.prepared.sinks, sinks, self._inbox)
        writer = java_class(self.spark._jvm, f"{_REALTIME}.SinkWriter")
        self._writer = writer.of(self.spark._jsparkSession, description, len(sinks))
        self._counted = (0,) * len(sinks)
        return frame

    def start(self, rows: DataFrame, builder: StageBuilder, folder: Folder) -> StreamingQuery:
        """Start it on a checkpoint."""
        from pyspark.sql.streaming.query import StreamingQuery

        self._folder = folder
        frame = self.written(rows, builder)
        starter = java_class(self.spark._jvm, f"{_REALTIME}.RealTime")
        with query_settings(self.spark, empty_batches=False):
            return StreamingQuery(starter.start(frame._jdf, self._writer, folder.uri, self.interval_ms))

    def rows(self, batch: int) -> BatchRows:
        """What was written since the last call, which is that of a batch; see `Sinks.rows`."""
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
        """Let go of what it held."""
        if self._inbox is not None:
            self._inbox.close()
            self._inbox = None
        if self._watermarks is not None:
            self._watermarks.close()
            self._watermarks = None
