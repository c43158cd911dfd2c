"""Runs of a plan: from an opened plan to a streaming query, its batches, its end."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.batches.event_time import QueryWatermark
from compiled_plan.plans.execution.batches.following import Follower, RunResult
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.opened import OpenedRun
from compiled_plan.plans.execution.session.options import CHECK
from compiled_plan.plans.execution.session.partitions import partitions_remark
from compiled_plan.plans.execution.session.stopping import StoppedError, follow, stop_query
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.stages.build import StageBuilder
from compiled_plan.plans.execution.stages.prepared import table_spec
from compiled_plan.plans.execution.stages.watermarks import END, end_text
from compiled_plan.plans.execution.state.checkpoint.leases import lease_lost
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.start import ProgramInForce
from compiled_plan.plans.inspection.checkpoints import ENDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from compiled_plan.plans.execution.session.options import RunOptions
    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.plan import CompiledPlan

#: The option with the addresses of Kafka's brokers.
SERVERS = "properties.bootstrap.servers"


class Run(OpenedRun):
    """One run of a plan; `execute` starts it."""

    _drained = False
    _lost: CheckpointError | None = None

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
            self.start.send_corrections(self.spark)
            self._say_partitions()
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

    def _say_partitions(self) -> None:
        """Print the number of shuffle partitions of a cluster's run, and the way to another one."""
        partitions = self.setting.partitions if self.start.known is None else self.start.known.partitions
        if self.prepared.layout.stages and (remark := partitions_remark(self.spark, partitions, resumes=self.resumes)):
            print(remark, file=sys.stderr, flush=True)

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
        parts: dict[str, Any] = {"clock": self._given_clock, "folds": self._folds, "secrets": self.secrets}
        options = replace(self.options, retain_batches=self._batches.retained, retain_for="")
        place = (self.spark, self.start.store, options, self._stop.is_set)
        run_in_force(*place, partial(MicroBatches.finish, drain=drain), stdout=self.stdout, **parts)

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


def run_in_force(
    spark: SparkSession,
    store: Store,
    options: RunOptions,
    stopped: Callable[[], bool],
    start: Callable[[MicroBatches, DataFrame, StageBuilder, Folder], StreamingQuery],
    plan: CompiledPlan | None = None,
    **parts: Any,
) -> StreamingQuery:
    """Run the program in force on a checkpoint until its query ends.

    Args:
        store: the checkpoint, whose lock is held.
        options: the options of the run, which reads the rows available at most; those of an upgrade and
            the time of retention have no effect.
        stopped: returns True once the run is to end.
        start: starts the query.
        plan: the program's plan with further sinks; by default the plan as it is.
        parts: see `OpenedRun`.

    Returns:
        the query, which has ended.

    Raises:
        StoppedError: the run was to end.
    """
    old = ProgramInForce(store)
    plain = replace(options, upgrade=CHECK, reset=(), warm_up=(), warm_up_from=None, time_zone=None)
    options = replace(plain, host=old.host, trigger="", retain_for="", available_now=True)
    run = Run(spark, plan or old.plan, options, begin=lambda *_: old, **parts)
    rows, builder = run._lowered(run.folder)
    query = start(run._batches, rows, builder, run.folder)
    follower = run._follower(query, builder)
    try:
        follow(spark, query, stopped, options.stop_seconds)
    except StoppedError:
        raise
    except Exception:
        if run._batches.failure is not None:
            raise run._batches.failure from None
        raise
    follower.catch_up()
    return query
