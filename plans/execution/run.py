"""Runs of a plan: from a prepared plan to a streaming query, its batches, its end."""

from __future__ import annotations

import shutil
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.batches.event_time import QueryWatermark, event_time_of
from compiled_plan.plans.execution.batches.following import Committing, Follower, RunResult
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.expressions import ExpressionContext, register
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.functions.java import JavaFunctions
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.operators.python_steps import check as check_functions
from compiled_plan.plans.execution.realtime.query import RealTimeQuery, in_real_time, row_clock
from compiled_plan.plans.execution.secrets.values import Secrets
from compiled_plan.plans.execution.session.options import CHECK, RunOptions
from compiled_plan.plans.execution.session.stopping import StoppedError, follow, stop_query
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import cache_classes, java_class, remove_at_exit
from compiled_plan.plans.execution.spark.packages import check_loaded_code, provide
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.stages.build import StageBuilder, StageOptions
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare, table_spec
from compiled_plan.plans.execution.stages.watermarks import END, end_text
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.description import setting_of
from compiled_plan.plans.execution.state.checkpoint.leases import lease_lost
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at
from compiled_plan.plans.execution.state.checkpoint.sources import names_of
from compiled_plan.plans.execution.state.upgrade.decision import Decision, UpgradeRequest
from compiled_plan.plans.execution.state.upgrade.history import FileTimes
from compiled_plan.plans.execution.state.upgrade.start import ProgramInForce, Start, batch_clock
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.execution.tables.sources import Sources, SourceTables
from compiled_plan.plans.execution.tables.taps import Tap
from compiled_plan.plans.functions.naming import with_module_functions
from compiled_plan.plans.inspection.checkpoints import ENDS
from compiled_plan.plans.inspection.identity import renamed, with_uids
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: The option with the addresses of Kafka's brokers.
SERVERS = "properties.bootstrap.servers"

_HOST = "org.compiledplan.kernel.host"


class Run:
    """One run of a plan.

    The constructor checks everything and changes nothing on disk; `execute` starts the run.

    Args:
        spark: a session of `plans.execution.session.spark_session`.
        plan: any plan; operators without a uid get one.
        options: see `RunOptions`.
        stdout: prints a line of data (print sinks).
        report: called after each micro-batch.
        guarded: False skips the comparison with the checkpoint; for tests of the comparison's purpose.
        start: the start, if already decided.
        begin: decides on the start otherwise.
        clock: the clock of micro-batches, which also begins them; by default the machine's.
        folds: pre-aggregate the rows of a key before the shuffle, which omits intermediate results.
        tap: requests for rows between operators; a run in real-time mode ignores them.
        secrets: the secrets of the plan, if already collected; by default those of the options.

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
        guarded: bool = True,
        start: Start | None = None,
        begin: Callable[[Folder, UpgradeRequest], Start] = Start,
        clock: BatchClock | None = None,
        folds: bool = True,
        tap: Tap | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self.secrets = Secrets(options.secrets) if secrets is None else secrets
        self.secrets.collect(plan, options.warm_up_from)
        cache_classes(spark._jvm)
        register(spark)
        self.spark, self.options, self.report, self.stdout = spark, options, report, stdout
        self._folds, self._given_clock, self._drained, self._tap = folds, clock, False, tap
        self._stop = threading.Event()
        self._lost: CheckpointError | None = None
        self._tables = SourceTables(spark._jvm, {})
        plan = with_module_functions(plan, options.functions_from)
        self.prepared: PreparedPlan = self._prepared(
            with_uids(with_zone(replace(plan, holds=()), options.time_zone, UTC))
        )
        self.functions = self._allowed_functions()
        self._temporary = "" if options.checkpoint else mkdtemp(prefix="compiled-plan-checkpoint-")
        try:
            if self._temporary:
                remove_at_exit(spark._jvm, self._temporary)
            self.setting = setting_of(spark, options.host, self.functions)
            self.start = self._start(begin, guarded=guarded) if start is None else start
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

    # ---- the steps of opening a run

    def _allowed_functions(self) -> PythonFunctions:
        parameters = self.options.job_parameters
        java = JavaFunctions(self.spark, self.options.functions_from, self.options.java_classes, parameters=parameters)
        functions = PythonFunctions(
            self.options.functions_from,
            trusts_pickles=self.options.trust_pickled_state,
            allows_pickled=self.options.allow_pickled_functions,
            parameters=parameters,
            java=java,
        )
        check_functions(self.prepared.plan, functions)
        java.check(self.prepared.plan)
        check_loaded_code(self.prepared.plan, self.spark)
        return functions

    def _start(self, begin: Callable[[Folder, UpgradeRequest], Start], *, guarded: bool) -> Start:
        folder = folder_of(self.spark, self.options.checkpoint or self._temporary)
        request = UpgradeRequest(
            self.prepared, self.setting, self.options, self.functions, FileTimes(self.spark), self.secrets
        )
        return begin(folder, request) if guarded else Start(folder, request, guarded=False)

    def _register_functions(self) -> None:
        jvm, session = self.spark._jvm, self.spark._jsparkSession
        assert jvm is not None
        java_class(jvm, f"{_HOST}.SessionStart").forgetOrigins(session)
        java_class(jvm, f"{_HOST}.OrderNumber").register(session)
        java_class(jvm, f"{_HOST}.RowWatermark").register(session)

    def _opened_sources(self) -> Sources:
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
        return Sinks(self.prepared, context, self._batch_clock, tap=self._tap)

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
        """Spark's checkpoint location."""
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

    def execute(self) -> RunResult:
        """Run until the input ends, `stop` is called, or the query fails.

        Raises:
            ExecutionError: the query failed; gives the reason in the user's terms.
            StuckError: it was stopped, and did not end within the time in the options.
        """
        try:
            return self._execute()
        except StoppedError:
            return RunResult(0, 0, 0, stopped=True)
        except CompiledPlanError:
            raise
        except Exception as fault:
            from pyspark.errors import StreamingQueryException

            # Another fault stops the query, which interrupts its micro-batch: that one then fails, too.
            failure = self._batches.failure if isinstance(fault, StreamingQueryException) else None
            cause = self._lost or failure or fault
            raise (cause if isinstance(cause, CompiledPlanError) else self._translated(cause)) from cause
        finally:
            self._sources.close()
            if self._real_time is not None:
                self._real_time.close()
            self.remove_temporary()

    def _translated(self, fault: Exception) -> ExecutionError:
        return translate(fault, self._brokers, self.start.store.root.shown)

    @property
    def _brokers(self) -> list[str]:
        tables = [*(source.table for source in self.prepared.tables.values()), *map(table_spec, self.prepared.sinks)]
        return [table.options[SERVERS] for table in tables if SERVERS in table.options]

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

    def _execute(self) -> RunResult:
        with self.started() as follower:
            stopped = self._drain(follower)
        return follower.result(stopped)

    @contextmanager
    def started(self) -> Iterator[Follower]:
        """Start the query; it is stopped at the end of this context."""
        with self.start.begun(self.spark, self._on_lease_lost, self._finish_batch, self._stop.is_set):
            if self._real_time is not None and self.resumes:
                self._real_time.catch_up(self.folder, self._finish_batch)
            rows, builder = self._lowered(self.folder)
            self._prepare(builder)
            query = self._begin(rows, builder)
            try:
                self.start.publish()
                follower = self._follower(query, builder)
                yield follower
            finally:
                stop_query(self.spark, query, self.options.stop_seconds)
            if self._lost is not None:
                raise self._lost
            if self._drained:
                self._committing.settle(follower, self.folder, ended=self._sources.end)

    def _prepare(self, builder: StageBuilder) -> None:
        """Write the program into the checkpoint, with its first state if the start brings one."""
        states = {uid: state for handle in builder.handles for uid, state in handle.states().items()}
        self.start.prepare(self.prepared, [handle.spec for handle in builder.handles], states, self._sources.end)

    def prepare(self) -> None:
        """Put the program in force on the checkpoint, with the state that the start brings, and run nothing.

        Raises:
            CheckpointError: another process holds the checkpoint, or the state cannot be written.
            ExecutionError: Spark failed; gives the reason in the user's terms.
            StoppedError: `stop` was called.
        """
        try:
            with self.start.begun(self.spark, self._on_lease_lost, self._finish_batch, self._stop.is_set):
                _, builder = self._lowered(self.folder)
                self._prepare(builder)
                self.start.publish()
        except (CompiledPlanError, StoppedError):
            raise
        except Exception as fault:
            raise self._translated(fault) from fault
        finally:
            self._sources.close()

    def _drain(self, follower: Follower) -> bool:
        """Follow the query to the end of its input, if it has one; return True if it was stopped before."""
        # Stop a query that does not end by itself once it has read all available rows.
        until_drained = self.bounded and not self._batches.ends_by_itself
        stopped = self._follow(follower, until_drained=until_drained)
        if self._batches.ends and not stopped:
            stopped = self._close_windows(follower)
        self._drained = not stopped
        return stopped

    def _follower(self, query: StreamingQuery, builder: StageBuilder) -> Follower:
        plan, folder = self.prepared.plan, self.folder
        counts = self._sinks if self._real_time is None else self._real_time
        arguments = (query, builder.handles, plan, folder, self._tables, counts, self.report)
        slots = self.spark.sparkContext.defaultParallelism
        return Follower(*arguments, resumes=self.resumes, slots=slots)

    def _finish_batch(self, *, drain: bool = False) -> None:
        """Run only the micro-batch that the old program had begun: its rows may be in the sinks already.

        Args:
            drain: also read all rows available by now and fire the timers that are due.
        """
        old = ProgramInForce(self.start.store)
        plain = replace(self.options, upgrade=CHECK, reset=(), warm_up=(), warm_up_from=None, time_zone=None)
        options = replace(plain, host=old.host, trigger="", available_now=True)
        parts: dict[str, Any] = {"clock": self._given_clock, "folds": self._folds, "secrets": self.secrets}
        run = Run(self.spark, old.plan, options, self.stdout, start=old, **parts)
        rows, builder = run._lowered(run.folder)
        query = run._batches.finish(rows, builder, run.folder, drain=drain)
        try:
            follow(self.spark, query, self._stop.is_set, self.options.stop_seconds)
        except StoppedError:
            raise
        except Exception:
            if run._batches.failure is not None:
                raise run._batches.failure from None
            raise

    def _on_lease_lost(self) -> None:
        """End the run: it has lost the lease and may no longer write into the checkpoint."""
        self._lost = lease_lost(self.start.store.root)
        self.stop()

    def _close_windows(self, follower: Follower) -> bool:
        """Move the watermark to the end of time, and fire all timers in a batch.

        Returns:
            True if the run was stopped meanwhile.
        """
        moved = QueryWatermark(self.spark).move_waiting(follower.query, END)
        # A query without batches has no watermark to move: its first batch reports one.
        for _ in ("fires",) if moved else ("tells", "fires"):
            self.folder.write_text(f"{ENDS}/{uuid.uuid4().hex}.json", end_text())
            if self._follow(follower, until_drained=True):
                return True
        self.start.end()
        return False

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

    def _begin(self, rows: DataFrame, builder: StageBuilder) -> StreamingQuery:
        if self._real_time is not None:
            return self._real_time.start(rows, builder, self.folder)
        return self._batches.start(rows, builder, self.folder)

    def _follow(self, follower: Follower, *, until_drained: bool) -> bool:
        """Follow a query until it ends or has read all available rows; return True if it was stopped before."""

        def between() -> None:
            self._committing.settle(follower, self.folder, ended=False)
            self._batches.wait(follower.query)

        # In real-time mode a batch without rows does not end by itself.
        until_idle = self._real_time is not None and self.bounded
        return follower.follow(self._stop, between, until_drained=until_drained, until_idle=until_idle)
