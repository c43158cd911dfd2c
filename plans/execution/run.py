"""Running a plan: from a prepared program to a streaming query, its batches, its end."""

from __future__ import annotations

import json
import shutil
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from plans.errors import CompiledPlanError
from plans.execution import checkpoint
from plans.execution.connectors import base as connectors
from plans.execution.connectors import load_all
from plans.execution.expressions import ExpressionContext, register
from plans.execution.failures import translate
from plans.execution.operators.base import Lowering
from plans.execution.operators.enforcer import enforce
from plans.execution.options import RunOptions
from plans.execution.program import Program, prepare, sink_target, table_spec
from plans.execution.progress import BatchProgress, operator_progress
from plans.execution.stages.build import StageBuilder
from plans.execution.storage import Folder
from plans.execution.values import values_source
from plans.identity import with_uids
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_RUN_ID, _STATE_ROWS = f"{checkpoint.FOLDER}/run-id", f"{checkpoint.FOLDER}/state-rows.json"
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended: batches run, rows read and written, whether it was asked to stop."""

    batches: int
    rows_in: int
    rows_out: int
    stopped: bool


class Run:
    """One run of a plan.

    Building a Run checks everything and changes nothing on disk; `execute` starts it.

    Args:
        spark: a session of `plans.execution.session`.
        plan: any plan; operators without a uid get one.
        options: see `RunOptions`.
        stdout: prints a line of data (print sinks).
        report: called after each micro-batch.
        time_zone: the zone of TIMESTAMP_LTZ texts, `table.local-time-zone`.

    Raises:
        UnsupportedError: the plan has something that does not run; names it.
        CheckpointError: the plan does not fit the checkpoint.
    """

    def __init__(
        self,
        spark: SparkSession,
        plan: CompiledPlan,
        options: RunOptions,
        stdout: Callable[[str], None] = print,
        report: Callable[[BatchProgress], None] = lambda _: None,
        time_zone: str = "UTC",
    ) -> None:
        load_all()
        register(spark)
        self.spark, self.options, self.report, self.stdout = spark, options, report, stdout
        self.program: Program = prepare(with_uids(plan))
        self.time_zone = time_zone
        self._stop = threading.Event()
        self._rows_out = 0
        self._failure: Exception | None = None
        self._temporary = "" if options.checkpoint else mkdtemp(prefix="compiled-plan-checkpoint-")
        self.folder = Folder(spark, options.checkpoint or self._temporary)
        self.resumes = checkpoint.check(self.folder, self.program, options.host)
        jvm = spark._jvm
        assert jvm is not None
        jvm.org.compiledplan.kernel.OrderNumber.register(spark._jsparkSession)
        context = connectors.SourceContext(spark, time_zone, options.max_files_per_batch)
        self._sources = {
            source: connectors.open_source(table.table, context) for source, table in self.program.tables.items()
        }
        run_id = self.folder.read_text(_RUN_ID) or uuid.uuid4().hex[:12]
        self.run_id = run_id
        sink_context = connectors.SinkContext(spark, time_zone, run_id, stdout)
        self._sinks = {sink.id: connectors.open_sink(table_spec(sink), sink_context) for sink in self.program.sinks}

    @property
    def bounded(self) -> bool:
        """True when the run ends by itself."""
        return self.options.available_now or all(source.bounded for source in self._sources.values())

    def stop(self) -> None:
        """Ask the run to end; safe to call from a signal handler."""
        self._stop.set()

    def execute(self) -> RunResult:
        """Run until the input ends, `stop` is called, or the query fails.

        Raises:
            ExecutionError: the query failed; says why in the user's terms.
        """
        try:
            return self._execute()
        except CompiledPlanError:
            raise
        except Exception as fault:
            cause = self._failure or fault
            raise (cause if isinstance(cause, CompiledPlanError) else translate(cause)) from cause
        finally:
            if self._temporary:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def _execute(self) -> RunResult:
        lowering = Lowering(self.program.plan, ExpressionContext(time_zone=self.time_zone))
        builder = StageBuilder(self.spark, lowering, self.program, {"host": self.options.host})
        checkpoint.store(self.folder, self.program, self.options.host)
        self.folder.write_text(_RUN_ID, self.run_id)
        frames = {source: opened.frame for source, opened in self._sources.items()}
        for source, node in self.program.values.items():
            frames[source] = values_source(node, self.spark, self.folder, lowering)
        rows = builder.build(frames)
        query = self._start(rows, builder)
        try:
            return self._follow(query, builder)
        finally:
            query.stop()

    def _start(self, rows: DataFrame, builder: StageBuilder) -> StreamingQuery:
        writer = rows.writeStream.foreachBatch(lambda frame, batch: self._write(frame, batch, builder))
        writer = writer.outputMode("append").option("checkpointLocation", self.folder.uri)
        if self.bounded and self.options.trigger_ms is None:
            writer = writer.trigger(availableNow=True)
        elif self.options.trigger_ms is not None:
            writer = writer.trigger(processingTime=f"{self.options.trigger_ms} milliseconds")
        return writer.start()

    def _write(self, frame: DataFrame, batch: int, builder: StageBuilder) -> None:
        """Write one micro-batch to all sinks; the batch is committed when all have it."""
        try:
            self._write_all(frame, batch, builder)
        except Exception as fault:
            # Spark wraps what happens in here in a text; the exception itself says more.
            self._failure = fault
            raise

    def _write_all(self, frame: DataFrame, batch: int, builder: StageBuilder) -> None:
        several = len(self._sinks) > 1
        if several:
            frame = frame.persist()
        try:
            for sink in self.program.sinks:
                rows = enforce(sink, builder.sink_rows(frame, sink_target(sink)))
                self._sinks[sink.id].write(rows, batch)
        finally:
            if several:
                frame.unpersist()

    def _follow(self, query: StreamingQuery, builder: StageBuilder) -> RunResult:
        base = json.loads(self.folder.read_text(_STATE_ROWS) or "{}") if self.resumes else {}
        plan = self.program.plan
        descriptions = {str(node.uid): node.description for node in plan.nodes if node.uid}
        seen, rows_in, batches = -1, 0, 0
        drained = False
        while query.isActive and not self._stop.is_set() and not drained:
            time.sleep(_POLL_SECONDS)
            for progress in query.recentProgress:
                if progress.batchId <= seen:
                    continue
                drained = self.bounded and self.options.trigger_ms is not None and progress.numInputRows == 0
                if progress.numInputRows == 0 and "addBatch" not in progress.durationMs:
                    continue
                seen, batches, rows_in = progress.batchId, batches + 1, rows_in + progress.numInputRows
                self._report(progress, builder, base, descriptions)
        stopped = self._stop.is_set()
        if not stopped and not drained:
            query.awaitTermination()
            for progress in query.recentProgress:
                if progress.batchId > seen and "addBatch" in progress.durationMs:
                    seen, batches, rows_in = progress.batchId, batches + 1, rows_in + progress.numInputRows
                    self._report(progress, builder, base, descriptions)
        return RunResult(batches, rows_in, self._rows_out, stopped)

    def _report(self, progress: Any, builder: StageBuilder, base: dict[str, int], names: dict[str, str]) -> None:
        operators = operator_progress(builder.handles, base, names)
        self.folder.write_text(_STATE_ROWS, json.dumps({o.uid: o.state_rows for o in operators}))
        out = max(int(getattr(progress.sink, "numOutputRows", 0) or 0), 0)
        self._rows_out += out
        millis = int(progress.durationMs.get("triggerExecution", 0))
        self.report(BatchProgress(progress.batchId, progress.numInputRows, out, millis, operators))
