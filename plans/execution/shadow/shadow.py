"""A shadow run: a copy of the checkpoint for each program, rounds over the same input, and the comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, CORRECT, MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.execution.session.stopping import StoppedError
from compiled_plan.plans.execution.shadow.comparing import Comparison
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.state.checkpoint.fork import fork_last
from compiled_plan.plans.execution.state.checkpoint.locks import lock
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rollback import head_of, store_of
from compiled_plan.plans.execution.tables.records import Records
from compiled_plan.plans.execution.tables.sides import Pair
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.inspection.diff.named import named_columns
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The suffix of the folder beside the checkpoint, and the folders inside it.
SUFFIX = ".shadow"
_OLD, _NEW, _RECORDS, _COMPARED = _FOLDERS = ("old", "new", "records", "compared")
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Limits:
    """The extent of a shadow run; without duration and rows it ends with the rows available at its start.

    Args:
        seconds: duration in seconds.
        rows: number of rows to read.
        share: per cent of the time in which it runs micro-batches.
    """

    seconds: float | None = None
    rows: int | None = None
    share: int = 100

    def reached(self, report: ShadowReport) -> bool:
        """Return True at the end of the shadow run."""
        if self.seconds is None and self.rows is None:
            return True
        return (self.seconds is not None and report.seconds >= self.seconds) or (
            self.rows is not None and report.rows_in >= self.rows
        )


def shadow(
    spark: SparkSession,
    plan: CompiledPlan,
    options: RunOptions,
    limits: Limits,
    report: Callable[[ShadowReport], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    **parts: Any,
) -> ShadowReport:
    """Run a plan on a copy of a checkpoint, and compare what it writes with what the program in force writes.

    The checkpoint, its run and its sinks stay as they are.

    Args:
        spark: the session.
        plan: the new plan.
        options: those of its start on the checkpoint; partially compatible state migrates, too.
        limits: the extent.
        report: called with the result so far, after each round.
        stopped: returns True once the shadow is to end.
        parts: see `OpenedRun`.

    Raises:
        CheckpointError: the checkpoint has no micro-batch, the new plan cannot start on it, or another shadow of it
            runs.
        UnsupportedError: each of the programs reads a table that the other one does not, or the start would correct
            the past.
        StoppedError: it was stopped before the end of its first round.
    """
    if options.upgrade == CORRECT:
        remedy = "fill operators with --reset and --warm-up"
        raise UnsupportedError("--upgrade correct has no effect in a shadow, which writes to no sink", remedy=remedy)
    begin = time.monotonic()
    with _scratch(spark, options) as folder:
        stores = [Store(folder.inside(name), product_version()) for name in (_OLD, _NEW)]
        batch = _copy(store_of(spark, options.checkpoint), stores[0])
        _copy(*stores)
        sides = CompiledPlan.from_json(stores[0].program_in_force().plan), plan
        records = [
            Records(folder.inside(f"{_RECORDS}/{name}"), frozenset(table.sink for table in tables_of(side).values()))
            for name, side in zip((_OLD, _NEW), sides, strict=True)
        ]
        how = MIGRATE_PARTIAL if options.upgrade == CHECK else options.upgrade
        start = replace(options, checkpoint=stores[1].root.uri, upgrade=how)
        Run(spark, plan, start, open_sink=records[1].open, **parts).prepare()
        programs = [
            ShadowProgram(spark, store, recorded, options, stopped, parts)
            for store, recorded in zip(stores, records, strict=True)
        ]
        rounds = _Rounds.of(programs, folder.inside(_COMPARED), ShadowReport(batch))
        return rounds.run(limits, begin, report, stopped)


def _copy(source: Store, target: Store) -> int:
    """Put a copy of the generation in force, which a run may continue, in force elsewhere.

    Returns:
        The number of its last micro-batch.

    Raises:
        CheckpointError: it has none.
    """
    head = head_of(source)
    generation, files = source.generation(head.generation), source.program(head)
    if progress_of(generation.folder).committed is None:
        raise CheckpointError(
            "no micro-batch of the checkpoint is committed yet",
            where=source.root.shown,
            remedy="wait for the first one",
        )
    new = target.new_generation(generation.versions, generation.run_id)
    batch = fork_last(generation, new, read_description(files.description, source.root.shown)["positions"])
    target.publish(new.number, target.new_program(new, files), "shadow")
    return batch


@contextmanager
def _scratch(spark: SparkSession, options: RunOptions) -> Iterator[Folder]:
    """A locked folder beside the checkpoint; what a killed shadow run has left there is removed."""
    folder = folder_of(spark, f"{options.checkpoint.rstrip('/')}{SUFFIX}")
    folder.make()
    held = lock(spark, folder, lambda: None, options.lease_seconds)
    try:
        _clear(folder)
        yield folder
    finally:
        _clear(folder)
        held.release(True)
        folder.remove_empty()


def _clear(folder: Folder) -> None:
    for name in _FOLDERS:
        folder.remove(name)


@dataclass(slots=True)
class _Rounds:
    """Rounds of both programs over the same input.

    Args:
        old: the program in force.
        new: the new program.
        compared: the comparison of each table, and its columns that the difference of the plans names.
        report: the result so far.
    """

    old: ShadowProgram
    new: ShadowProgram
    compared: Sequence[tuple[Comparison, frozenset[str] | None]]
    report: ShadowReport

    @classmethod
    def of(cls, programs: Sequence[ShadowProgram], folder: Folder, report: ShadowReport) -> _Rounds:
        old, new = programs
        diff = diff_plans(old.plan, new.plan)
        before, after = tables_of(old.plan), tables_of(new.plan)
        compared: list[tuple[Comparison, frozenset[str] | None]] = []
        for number, sink in enumerate(diff.sinks):
            for old_node, new_node in zip(sink.old_nodes, sink.new_nodes, strict=False):
                pair = Pair(before.pop(old_node), after.pop(new_node))
                comparison = Comparison(old.spark, pair, folder.inside(str(number)))
                compared.append((comparison, named_columns(diff, sink, new.plan)))
        alone = [tuple(table.identifier for table in tables.values()) for tables in (before, after)]
        return cls(old, new, compared, replace(report, only_old=alone[0], only_new=alone[1]))

    def run(
        self, limits: Limits, begin: float, report: Callable[[ShadowReport], None], stopped: Callable[[], bool]
    ) -> ShadowReport:
        """Run rounds up to the limits; see `shadow`."""
        lead, follower = self._in_order()
        while True:
            started = time.monotonic()
            try:
                rows = self._round(lead, follower)
            except StoppedError:
                if self.report.rounds:
                    return self.report
                raise
            now = time.monotonic()
            self.report = replace(
                self.report,
                rounds=self.report.rounds + 1,
                rows_in=self.report.rows_in + rows,
                seconds=now - begin,
                tables=tuple(comparison.rows(named) for comparison, named in self.compared),
            )
            report(self.report)
            if limits.reached(self.report) or not _wait((now - started) * (100 - limits.share) / limits.share, stopped):
                return self.report

    def _in_order(self) -> tuple[ShadowProgram, ShadowProgram]:
        """The program that reads new rows, and the one that reads the same after it."""
        before, after = self.old.sources, self.new.sources
        if before <= after:
            return self.new, self.old
        if after <= before:
            return self.old, self.new
        only_old, only_new = (", ".join(sorted(names)) for names in (before - after, after - before))
        raise UnsupportedError(
            f"the programs cannot run over the same rows: the old one alone reads {only_old}, the new one {only_new}",
            remedy="add tables in one change, and remove others in the next one",
        )

    def _round(self, lead: ShadowProgram, follower: ShadowProgram) -> int:
        """Run both programs over new rows, and compare what they write; return the number of rows."""
        since = lead.batch
        rows = lead.advance()
        follower.repeat(lead, since)
        if lead.batch > since:
            for comparison, _ in self.compared:
                pair, spark = comparison.pair, lead.spark
                comparison.add(self.old.records.rows(pair.old.sink, spark), self.new.records.rows(pair.new.sink, spark))
        for program in (lead, follower):
            program.records.remove()
        return rows


def _wait(seconds: float, stopped: Callable[[], bool]) -> bool:
    """Wait; return False if the shadow is to end."""
    end = time.monotonic() + seconds
    while not stopped():
        left = end - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, _POLL_SECONDS))
    return False
