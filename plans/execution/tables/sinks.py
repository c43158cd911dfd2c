"""The sinks of a run, including those of its dead letters, written one micro-batch at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import Observation

from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.interfaces.dead_letters import letter_columns, letters_of
from compiled_plan.plans.execution.spark.computed import counted, number_of_rows
from compiled_plan.plans.execution.spark.java import JavaObject, frame_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, sink_tables, table_spec
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.written import Written, read_written, write_written
from compiled_plan.plans.execution.tables.taps import Tap, Tapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.execution.stages.build import StageBuilder

#: Opens the sink of a table.
OpenSink = Callable[[connectors.TableSpec, connectors.SinkContext], connectors.RowSink]
#: Seconds to wait for the metrics of a finished write.
_OBSERVED_SECONDS = 2.0


class BatchRows(NamedTuple):
    """Rows that the sinks of a run wrote in a micro-batch, and its number of dead letters."""

    written: int
    dead_letters: int


class Sinks:
    """The open sinks of a plan.

    Args:
        prepared: its sinks, and the tables that may produce dead letters.
        context: the environment of the sinks.
        clock: the clock of the run.
        open_sink: opens the sink of a table.
        tap: requests for rows between operators; None for none.
    """

    def __init__(
        self,
        prepared: PreparedPlan,
        context: connectors.SinkContext,
        clock: BatchClock,
        open_sink: OpenSink = connectors.open_sink,
        tap: Tap | None = None,
    ) -> None:
        self.prepared, self._clock, self._tap = prepared, clock, tap
        self._sinks = {sink: open_sink(table, context) for sink, table in sink_tables(prepared.sinks).items()}
        letters: dict[str, tuple[connectors.TableSpec, list[int]]] = {}
        for source, table in prepared.tables.items():
            if (target := letters_of(table.table)) is not None:
                letters.setdefault(target.sink, (target, []))[1].append(source)
        self._dead_letters = [(target, sources, open_sink(target, context)) for target, sources in letters.values()]
        self._looked = False
        self._sums: Written | None = None
        self._batches: dict[int, BatchRows] = {}

    def __getitem__(self, node: int) -> connectors.RowSink:
        """The open sink of a sink node, by node id."""
        return self._sinks[node]

    @property
    def reads_order(self) -> bool:
        """True if a sink needs the order of the rows."""
        return any(sink.READS_ORDER for sink in self._sinks.values())

    @property
    def commits(self) -> list[connectors.Commits]:
        """The actions of sinks on commits of micro-batches."""
        commits = (sink.commits for sink in self._sinks.values() if isinstance(sink, connectors.HasCommits))
        return [commit for commit in commits if commit is not None]

    def rows(self, batch: int) -> BatchRows:
        """The rows written in a micro-batch of this run; removed once read."""
        return self._batches.pop(batch, BatchRows(0, 0))

    def write(self, frame: DataFrame, batch: int, builder: StageBuilder, folder: Folder, *, marked: bool) -> None:
        """Write a micro-batch to all sinks, and the total row counts into the checkpoint.

        Args:
            frame: the rows for all sinks and dead letters.
            batch: its number.
            builder: built the frame, and splits it by sink.
            folder: the checkpoint.
            marked: see `Written`.
        """
        if not self._looked:
            for sink in (*self._sinks.values(), *(opened for _, _, opened in self._dead_letters)):
                if isinstance(sink, connectors.LooksAhead):
                    sink.look_ahead(batch)
            self._looked = True
        self.count(batch, *self._write_all(frame, batch, builder), folder, marked=marked)

    def count(
        self, batch: int, written: dict[str, int], dead_letters: int, folder: Folder, *, marked: bool = False
    ) -> None:
        """Record the rows written in a micro-batch, by table, and its number of dead letters."""
        self._batches[batch] = BatchRows(sum(written.values()), dead_letters)
        sums = read_written(folder) if self._sums is None else self._sums
        self._sums = sums.after(batch, written, marked=marked)
        write_written(folder, self._sums, self._clock)

    def _write_all(self, frame: DataFrame, batch: int, builder: StageBuilder) -> tuple[dict[str, int], int]:
        """Write to all sinks; return the number of rows by table, and the number of dead letters."""
        request = None if self._tap is None else self._tap.request()
        tapped = None if request is None else Tapped(request, builder)
        reads_again = tapped is not None and tapped.reads_written_rows
        several, written = len(self._sinks) + len(self._dead_letters) > 1 or reads_again, dict[str, int]()
        if several:
            frame = frame.persist()
        try:
            for sink in self.prepared.sinks:
                table = table_spec(sink).identifier
                rows = builder.sink_rows(sink).among(frame)
                written[table] = written.get(table, 0) + _counted(self._sinks[sink.id], rows, batch)
            dead_letters = 0
            for target, sources, opened in self._dead_letters:
                letters = [letter_columns(builder.dead_letters(source).among(frame), target) for source in sources]
                dead_letters += _counted(opened, reduce(lambda left, right: left.unionByName(right), letters), batch)
            if tapped is not None:
                tapped.show(frame)
        finally:
            if several:
                frame.unpersist()
        return written, dead_letters


def _counted(sink: connectors.RowSink, rows: DataFrame, batch: int) -> int:
    """Write rows; return their number."""
    frame, count = (_counting if isinstance(sink, connectors.RunsRows) else observed)(rows)
    sink.write(frame, batch)
    return count()


def observed(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """Rows that Spark counts in the query built on them, and a function for their number once that query is over."""
    number = Observation()
    return rows.observe(number, number_of_rows()), lambda: _count_of(number)


def _count_of(number: Any) -> int:
    """The number of counted rows, once Spark reports it; 0 if Spark knew without counting that there are none."""
    deadline = time.monotonic() + _OBSERVED_SECONDS
    future = number._jo.future()
    while not future.isCompleted() and time.monotonic() < deadline:
        time.sleep(0.002)
    if not future.isCompleted():
        return 0
    row = number._jo.getRow()
    return int(row.getLong(0)) if row.length() else 0


def _counting(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """Rows counted by any execution of them, and a function for their number so far."""
    spark, (observed, counts) = rows.sparkSession, counted(rows)
    session: JavaObject = spark._jsparkSession
    frame = session.internalCreateDataFrame(observed._jdf.queryExecution().toRdd(), observed._jdf.schema(), False)
    return frame_of(frame, spark), lambda: counts()[0]
