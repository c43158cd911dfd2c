"""Tests as runs on Spark: a query per start, on a checkpoint of the test, which a clock drives batch by batch."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.batches.event_time import QueryWatermark
from compiled_plan.plans.execution.batches.following import Follower
from compiled_plan.plans.execution.batches.progress import LATE
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.execution.connectors.testing import TESTS, TestTables
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, MIGRATE, MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.spark.arrow import values_of
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import java_class, settings
from compiled_plan.plans.execution.stages.watermarks import END
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock, Reading
from compiled_plan.plans.execution.state.checkpoint.digests import seal
from compiled_plan.plans.execution.testing.engine import TableRows
from compiled_plan.plans.execution.testing.replacing import PlanTables, replaced
from compiled_plan.plans.execution.testing.rows import arrow_rows, lookup_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.plan import CompiledPlan

_HOST = "org.compiledplan.kernel.host"
_POLL_MS = 500


class SteppedClock(BatchClock):
    """The clock of a test, see the kernel's class."""

    def __init__(self, spark: SparkSession, millis: int) -> None:
        super().__init__("", millis, strict=False)
        self.kernel = self._kernel = java_class(spark._jvm, f"{_HOST}.input.SteppedClock")(millis)

    def now(self) -> int:
        return int(self.kernel.getTimeMillis())

    def reading(self) -> Reading:
        return Reading(self.now(), self.now())

    def follow(self) -> None:
        """Do nothing: the test sets the time."""


class SparkEngine:
    """See `Engine`.

    Args:
        spark: the session.
        clock: the time at which the test begins.
        functions_from: modules, folders and jars from which the plan may import functions.
    """

    def __init__(self, spark: SparkSession, clock: int, functions_from: Sequence[str] = ()) -> None:
        self._functions_from = functions_from
        self.spark, self.clock = spark, SteppedClock(spark, clock)
        self._folder = Path(mkdtemp(prefix="compiled-plan-test-"))
        self._name = uuid.uuid4().hex[:12]
        self._tables = TESTS[self._name] = TestTables(self._folder / "sources")
        self._stack = ExitStack()
        self._run: Run | None = None
        self._follower: Follower | None = None
        self._plan_tables = PlanTables({}, {}, {})
        self._taken: dict[str, dict[tuple[str, int], Any]] = {}
        self._late, self._files = 0, 0

    def start(
        self,
        plan: CompiledPlan,
        *,
        bounded: bool,
        accepts_partial: bool = False,
        migrates: bool = False,
        reset: Sequence[str] = (),
    ) -> None:
        self._tables.bounded = bounded
        self._plan_tables = PlanTables.of(plan)
        upgrade = (MIGRATE_PARTIAL if accepts_partial else MIGRATE) if migrates else CHECK
        options = RunOptions(
            checkpoint=str(self._folder / "checkpoint"),
            trigger="1 ms",
            upgrade=upgrade,
            reset=reset,
            functions_from=self._functions_from,
        )
        # The data of a test is small.
        with self._faults(), settings(self.spark, {PARTITIONS: "1"}):
            self.clock.kernel.begin()
            run = Run(self.spark, replaced(plan, self._name), options, clock=self.clock, folds=False)
            self._run, self._late = run, 0
            self._follower = self._stack.enter_context(run.started())
            self._await()

    def look_up(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        memory = java_class(self.spark._jvm, "org.compiledplan.kernel.lookup.MemoryTable")
        memory.put(f"{self._name}/{table}", lookup_rows(self.spark, self._plan_tables.lookups[table], rows))

    def feed(self, rows: Mapping[str, TableRows]) -> None:
        import pyarrow.parquet as pq

        assert self._run is not None
        self._files += 1
        for source in self._run.prepared.tables.values():
            name = source.table.options["id"]
            if name in rows:
                file = self._tables.source_folder(name) / f"{self._files:06}.parquet"
                hidden = file.with_name(f".{file.name}")
                pq.write_table(arrow_rows(source.table, rows[name]), hidden)
                hidden.rename(file)
        self._batches()

    def set_clock(self, millis: int) -> None:
        self.clock.kernel.set(millis)
        self._batches()

    def set_watermark(self, millis: int) -> None:
        assert self._follower is not None
        # Once Spark has looked for rows in vain, the query counts as waiting.
        self.clock.kernel.request()
        self._await()
        if not QueryWatermark(self.spark).move_waiting(self._follower.query, millis):
            raise ExecutionError(
                "the watermark cannot move before the first rows", remedy="give rows in a step before it"
            )
        self._batches()

    def end(self) -> None:
        assert self._run is not None
        if self._run.prepared.event_time and self._files:
            self.set_watermark(END)

    def stop(self, *, kill: bool = False) -> None:
        stack, self._stack = self._stack, ExitStack()
        with self._faults():
            stack.close()
        if kill and self._run is not None:
            _forget_last_commit(self._run.folder)

    def take(self) -> Mapping[str, Sequence[Chunk]]:
        types = {name: [column.data_type for column in table.stored_columns] for name, table in self._sinks.items()}
        return {name: list(self._new(name, types[name])) for name in self._tables.written if name in types}

    @property
    def _sinks(self) -> Mapping[str, Any]:
        return self._plan_tables.sinks

    def _new(self, name: str, types: Sequence[Any]) -> Iterator[Chunk]:
        taken = self._taken.setdefault(name, {})
        for batch, rows in self._tables.written[name].items():
            if batch in taken:
                # The batch may have been repeated after a kill. NaN equals NaN in texts alone.
                if rows is not taken[batch] and str(rows.to_pylist()) != str(taken[batch].to_pylist()):
                    raise ExecutionError(f"a repeated micro-batch wrote other rows into {name}")
            elif rows.num_rows:
                yield Chunk(
                    rows.column(0).to_pylist(), [values_of(rows.column(at + 1), t) for at, t in enumerate(types)]
                )
            taken[batch] = rows

    def late_rows(self) -> int:
        assert self._follower is not None
        total: int = sum(
            figures["rowsInByOutcome"].get(LATE, 0)
            for handle in self._follower.stages
            for figures in handle.figures().values()
        )
        late, self._late = total - self._late, total
        return late

    def close(self) -> None:
        try:
            self.stop()
        finally:
            TESTS.pop(self._name, None)
            memory = java_class(self.spark._jvm, "org.compiledplan.kernel.lookup.MemoryTable")
            for table in self._plan_tables.lookups:
                memory.put(f"{self._name}/{table}", None)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _batches(self) -> None:
        """Run a micro-batch, and one more for the timers of a watermark that it moved."""
        assert self._run is not None
        for _ in range(2 if self._run.prepared.event_time else 1):
            self.clock.kernel.request()
            self._await()

    def _await(self) -> None:
        """Wait for the end of the micro-batch; raise if it failed."""
        assert self._follower is not None
        query = self._follower.query
        with self._faults():
            while not self.clock.kernel.awaitIdle(_POLL_MS):
                if not query.isActive:
                    query.awaitTermination()
                    raise ExecutionError("the query has ended")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except CompiledPlanError:
            raise
        except Exception as fault:
            failure = None if self._run is None else self._run.failure
            cause = failure or fault
            raise (cause if isinstance(cause, CompiledPlanError) else translate(cause)) from cause


def _forget_last_commit(folder: Folder) -> None:
    """Remove the last commit of a checkpoint, as if its process had been killed before it."""
    commits = [name for name in folder.names("commits") if re.fullmatch("[0-9]+", name)]
    if commits:
        last = max(commits, key=int)
        folder.remove(f"commits/{last}")
        if folder.holds(f"commits/.{last}.crc"):
            folder.remove(f"commits/.{last}.crc")
        seal(folder)
