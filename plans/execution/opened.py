"""A plan opened on a checkpoint: its start, sources, sinks and batches, lowered to the rows of its sinks."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.batches.event_time import event_time_of
from compiled_plan.plans.execution.batches.following import Committing
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.expressions import ExpressionContext, register
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.operators.python_steps import allowed_functions
from compiled_plan.plans.execution.realtime.query import RealTimeQuery, in_real_time, row_clock
from compiled_plan.plans.execution.session.lakes import check_lakes
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.java import cache_classes, java_class, remove_at_exit
from compiled_plan.plans.execution.spark.packages import check_loaded_code, provide
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.stages.build import StageBuilder, StageOptions
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.description import setting_of
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at
from compiled_plan.plans.execution.state.checkpoint.sources import names_of
from compiled_plan.plans.execution.state.upgrade.decision import Decision, UpgradeRequest
from compiled_plan.plans.execution.state.upgrade.history import FileTimes
from compiled_plan.plans.execution.state.upgrade.start import Start, batch_clock
from compiled_plan.plans.execution.tables.sinks import OpenSink, Sinks
from compiled_plan.plans.execution.tables.sources import Sources, SourceTables
from compiled_plan.plans.execution.tables.taps import Tap
from compiled_plan.plans.functions.naming import with_module_functions
from compiled_plan.plans.inspection.identity import renamed, with_uids
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.spark_versions import spark_version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_HOST = "org.compiledplan.kernel.host"


class OpenedRun:
    """A plan, opened on a checkpoint.

    The constructor checks everything and changes nothing on disk.

    Args:
        spark: a session of `plans.execution.session.spark_session`.
        plan: any plan; operators without a uid get one.
        options: see `RunOptions`.
        stdout: prints a line of data (print sinks).
        report: called after each micro-batch.
        begin: decides on the start; by default `Start`.
        clock: the clock of micro-batches, which also begins them; by default the machine's.
        folds: pre-aggregate the rows of a key before the shuffle, which omits intermediate results.
        tap: requests for rows between operators; a run in real-time mode ignores them.
        secrets: the secrets of the plan, if already collected; by default those of the options.
        open_sink: opens the sink of a table.

    Raises:
        UnsupportedError: the plan has something that does not run; names it.
        CheckpointError: the plan is incompatible with the checkpoint.
        ExecutionError: secrets are missing; names them all.
    """

    def __init__(
        self,
        spark: SparkSession,
        plan: CompiledPlan,
        options: RunOptions,
        stdout: Callable[[str], None] = print,
        report: Callable[[BatchProgress], None] = lambda _: None,
        *,
        begin: Callable[[Folder, UpgradeRequest], Start] = Start,
        clock: BatchClock | None = None,
        folds: bool = True,
        tap: Tap | None = None,
        secrets: Secrets | None = None,
        open_sink: OpenSink = connectors.open_sink,
    ) -> None:
        self.secrets = Secrets(options.secrets) if secrets is None else secrets
        self.secrets.collect(plan, options.warm_up_from)
        spark_version(spark.version)
        cache_classes(spark._jvm)
        register(spark)
        self.spark, self.options, self.report, self.stdout = spark, options, report, stdout
        self._folds, self._given_clock, self._tap, self._open_sink = folds, clock, tap, open_sink
        self._stop = threading.Event()
        self._tables = SourceTables(spark._jvm, {})
        plan = with_module_functions(plan, options.functions_from)
        self.prepared: PreparedPlan = self._prepared(
            with_uids(with_zone(replace(plan, holds=()), options.time_zone, UTC))
        )
        self.functions = allowed_functions(spark, self.prepared.plan, options)
        check_loaded_code(self.prepared.plan, spark)
        self._temporary = "" if options.checkpoint else mkdtemp(prefix="compiled-plan-checkpoint-")
        try:
            if self._temporary:
                remove_at_exit(spark._jvm, self._temporary)
            self.setting = setting_of(spark, options.host, self.functions)
            self.start = self._start(begin)
            if self.start.known is not None:
                # State is addressed by the uids under which it was written.
                self.prepared = self._prepared(renamed(self.prepared.plan, self.start.known.uids))
            self._register_functions()
            self._clock = None if options.real_time_ms is None else row_clock(spark)
            self._sources = self._opened_sources()
            self.start.clock = clock
            self._batch_clock = clock or batch_clock(self.start, self.prepared, self.options)
            self._sinks = self._opened_sinks()
            self._committing = self._checked_commits()
            self._batches = self._planned_batches()
            self._real_time = self._real_time_query()
        except BaseException:
            self.remove_temporary()
            raise

    # ---- the steps of opening

    def _start(self, begin: Callable[[Folder, UpgradeRequest], Start]) -> Start:
        folder = folder_of(self.spark, self.options.checkpoint or self._temporary)
        request = UpgradeRequest(
            self.prepared, self.setting, self.options, self.functions, FileTimes(self.spark), self.secrets
        )
        return begin(folder, request)

    def _register_functions(self) -> None:
        jvm, session = self.spark._jvm, self.spark._jsparkSession
        assert jvm is not None
        java_class(jvm, f"{_HOST}.spark.SessionStart").forgetOrigins(session)
        java_class(jvm, f"{_HOST}.input.OrderNumber").register(session)
        java_class(jvm, f"{_HOST}.watermarks.RowWatermark").register(session)

    def _opened_sources(self) -> Sources:
        check_lakes(self.spark, self.prepared.plan)
        provide(self.spark, self.prepared.plan)
        files, clock = self.options.max_files_per_batch, self._clock
        context = connectors.SourceContext(self.spark, files, clock, secrets=self.secrets)
        return Sources(self.prepared, context)

    def _opened_sinks(self) -> Sinks:
        context = connectors.SinkContext(
            self.spark,
            self.start.run_id,
            self.stdout,
            begun=lambda batch: begun_at(self.folder, batch),
            secrets=self.secrets,
        )
        return Sinks(self.prepared, context, self._batch_clock, self._open_sink, self._tap)

    def _checked_commits(self) -> Committing:
        committing = Committing(self._sinks.commits)
        committing.check(ends=self._sources.end, has_watermark=self.prepared.event_time)
        return committing

    def _planned_batches(self) -> MicroBatches:
        publish, clock = self.start.publish, self._batch_clock
        stepped = self._given_clock is not None
        return MicroBatches(self.spark, self.prepared, self._sinks, self.options, self.bounded, publish, clock, stepped)

    def _real_time_query(self) -> RealTimeQuery | None:
        interval = self.options.real_time_ms
        if interval is None:
            return None
        known = None if self.start.known is None else self.start.known.partitions
        query = RealTimeQuery(self.spark, self.prepared, self._sinks, interval, known or self.setting.partitions)
        query.check(self._sources.opened, self.start)
        return query

    def _prepared(self, plan: CompiledPlan) -> PreparedPlan:
        """Prepare a plan for this run."""
        prepared = hosted(prepare(plan), self.options.host)
        return prepared if self.options.real_time_ms is None else in_real_time(prepared, self.options.host)

    @property
    def resumes(self) -> bool:
        """True if the checkpoint was started before."""
        return self.start.known is not None

    @property
    def upgrade(self) -> Decision | None:
        """The decision on the checkpoint's state; None for a new checkpoint."""
        return self.start.decision

    @property
    def folder(self) -> Folder:
        return self.start.generation.folder

    @property
    def bounded(self) -> bool:
        """True if the run ends by itself."""
        return self.options.available_now or self._sources.end

    @property
    def failure(self) -> Exception | None:
        """The exception of a micro-batch that failed."""
        return self._batches.failure

    def stop(self) -> None:
        """Request the end of the run; safe in a signal handler. `execute` interrupts its tasks and returns."""
        self._stop.set()

    def remove_temporary(self) -> None:
        """Remove the temporary checkpoint of a run without a checkpoint of its own."""
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def lower(self) -> None:
        """Have Spark analyse the whole plan, and start nothing.

        Raises:
            UnsupportedError: something that does not run; names it.
        """
        scratch = mkdtemp(prefix="compiled-plan-lowered-")
        try:
            rows, builder = self._lowered(folder_of(self.spark, scratch))
            if self._real_time is not None:
                self._real_time.written(rows, builder)
                self._real_time.close()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            self.remove_temporary()

    def _lowered(self, folder: Folder) -> tuple[DataFrame, StageBuilder]:
        """The rows for the sinks, and their builder; raise for everything that can be refused."""
        context, row_by_row = ExpressionContext(proctime=self._clock), self._real_time is not None
        lowering = Lowering(self.prepared.plan, context, self.functions, row_by_row, self.secrets)
        options = StageOptions(self.options.host, self._sources.end, self._sinks.reads_order, folds=self._folds)
        if self._real_time is not None:
            options = replace(options, in_order=False, folds=False, tick=self._real_time.tick)
        builder = StageBuilder(self.spark, lowering, self.prepared, options)
        rows = self._build(builder, folder)
        assert builder.columns is not None
        for sink in self.prepared.sinks:
            builder.sink_rows(sink).among(builder.columns)
        return rows, builder

    def _build(self, builder: StageBuilder, folder: Folder) -> DataFrame:
        known = self.start.known
        names = names_of(self.prepared, self.setting, None if known is None else known.description)
        self._tables = SourceTables.of(self.spark._jvm, self.prepared, names.by_node)
        frames = self._sources.frames(names, folder, builder.hosted.lowering, to_end=self.bounded)
        if self._real_time is not None:
            control = self._real_time.control(self._sources.opened, names.by_node, folder)
            return builder.build(frames, control=control)
        batches = self._batches
        interval, clock = batches.interval_ms or 0, batches.clock.now
        event_time = event_time_of(self.prepared, self.spark, folder, names.by_node, interval, clock)
        self._batches.event_time = event_time
        partitions = {} if event_time is None else event_time.columns
        if not self.prepared.event_time:
            return builder.build(frames, partitions=partitions)
        return builder.build(frames, self._sources.ends(names, folder), partitions)
