"""A shadow run: a copy of the checkpoint for each program, rounds over the same input, and the comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, CORRECT, MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.execution.shadow.locating import Locating
from compiled_plan.plans.execution.shadow.pace import Pace
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.promoting import Promotion, check_followed
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.shadow.rounds import Available, Committed, Limits, Rounds, compared_tables
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.state.checkpoint.fork import fork_last
from compiled_plan.plans.execution.state.checkpoint.locks import lock
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.correcting import Correcting
from compiled_plan.plans.execution.state.upgrade.decision import UpgradeRequest
from compiled_plan.plans.execution.state.upgrade.outputs import astray
from compiled_plan.plans.execution.state.upgrade.rollback import head_of, store_of
from compiled_plan.plans.execution.state.upgrade.start import Start
from compiled_plan.plans.execution.tables.records import Records
from compiled_plan.plans.inspection.checkpoints import Head
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The suffix of the folder beside the checkpoint, and the folders inside it.
SUFFIX = ".shadow"
_OLD, _NEW, _STARTS, _RECORDS, _COMPARED, _LOCATED = _FOLDERS = (
    "old",
    "new",
    "starts",
    "records",
    "compared",
    "located",
)


def shadow(
    spark: SparkSession,
    plan: CompiledPlan,
    options: RunOptions,
    limits: Limits,
    report: Callable[[ShadowReport], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    *,
    promote: bool = False,
    due: Callable[[], bool] = lambda: True,
    **parts: Any,
) -> ShadowReport:
    """Run a plan on a copy of a checkpoint, and compare what it writes with what the program in force writes.

    The checkpoint, its run and its sinks stay as they are, unless the shadow is promoted.

    Args:
        spark: the session.
        plan: the new plan.
        options: those of its start on the checkpoint; partially compatible state migrates, too.
        limits: the extent.
        report: called with the result so far, after each round.
        stopped: returns True once the shadow is to end.
        promote: follow the micro-batches of the old run until it has stopped, and put the new plan in force then.
        due: returns False while a promotion has to wait, even if the old run has stopped.
        parts: see `OpenedRun`.

    Raises:
        CheckpointError: the checkpoint has no micro-batch, the new plan cannot start on it, or another shadow of it
            runs.
        UnsupportedError: each of the programs reads a table that the other one does not; for a promotion, the new one
            reads one; the start corrects the past, and is not promoted or cannot follow a table.
        StoppedError: it was stopped before the end of its first round.
    """
    if options.upgrade == CORRECT and not promote:
        raise UnsupportedError(
            "--upgrade correct has no effect in a shadow, which writes to no sink",
            remedy="add --promote, or fill operators with --reset and --warm-up",
        )
    begin = time.monotonic()
    with _scratch(spark, options) as folder:
        store = store_of(spark, options.checkpoint)
        store.lease_seconds = options.lease_seconds
        head, pace = head_of(store), Pace(limits.share, stopped)
        beside = _Beside(spark, store, head, folder, options, pace, parts)
        old = beside.old()
        new, correcting = beside.new(plan, old)
        starts = beside.copied(old, _OLD), beside.copied(new, _NEW)
        both = PlanPair.of(old.plan, new.plan)
        diff = diff_of(both)
        tables = compared_tables(old, new, both, diff, folder.inside(_COMPARED))
        lead = store.generation(head.generation)
        rounds = Rounds(
            old,
            new,
            Committed(old, new, lead, old.batch) if promote else Available(old, new),
            tables,
            ShadowReport(
                old.batch,
                only_old=_alone(old.plan, [table.comparison.pair.old for table in tables]),
                only_new=_alone(new.plan, [table.comparison.pair.new for table in tables]),
            ),
            pace,
            report,
            begin,
        )
        rounds.run(limits)
        rounds.locate(Locating(starts, both, diff, folder.inside(_LOCATED)))
        if promote:
            generation = Promotion(spark, store, head, new, options, parts, due, correcting).take_over(rounds)
            return replace(rounds.report, promoted=generation)
        return rounds.report


@dataclass(frozen=True, slots=True)
class _Beside:
    """The programs of a shadow run, on copies of a checkpoint.

    Args:
        spark: the session.
        store: the checkpoint.
        head: its head.
        folder: the folder of the shadow run.
        options: see `shadow`.
        pace: of both programs.
        parts: see `OpenedRun`.
    """

    spark: SparkSession
    store: Store
    head: Head
    folder: Folder
    options: RunOptions
    pace: Pace
    parts: Mapping[str, Any]

    def old(self) -> ShadowProgram:
        """The program in force."""
        copy = self._copied(self.store, self.head, _OLD)
        return self._program(copy, _OLD, CompiledPlan.from_json(copy.program_in_force().plan))

    def new(self, plan: CompiledPlan, old: ShadowProgram) -> tuple[ShadowProgram, Correcting | None]:
        """The new program, started on the state of the old one, and the corrections of its tables."""
        program = self._program(self._copied(old.store, head_of(old.store), _NEW), _NEW, plan)
        how = MIGRATE_PARTIAL if self.options.upgrade == CHECK else self.options.upgrade
        options = replace(self.options, checkpoint=program.store.root.uri, upgrade=how)
        rest = astray(self.store, self.head.generation) if how == CORRECT else None

        def begin(folder: Folder, request: UpgradeRequest) -> Start:
            start = Start(folder, replace(request, astray=rest))
            start.corrects_later = True
            return start

        run = Run(self.spark, plan, options, open_sink=program.records.open, begin=begin, **self.parts)
        if run.upgrade is not None:
            check_followed(old.plan, run.prepared.plan, run.upgrade)
        run.prepare()
        correcting = run.start.correcting
        if correcting is not None:
            correcting.rehearse()
        return program, correcting

    def copied(self, program: ShadowProgram, name: str) -> ShadowProgram:
        """A program on a copy of its present state."""
        return replace(program, store=self._copied(program.store, head_of(program.store), f"{_STARTS}/{name}"))

    def _program(self, copy: Store, name: str, plan: CompiledPlan) -> ShadowProgram:
        sinks = frozenset(table.sink for table in tables_of(plan).values())
        records = Records(self.folder.inside(f"{_RECORDS}/{name}"), sinks, self.pace.pause)
        return ShadowProgram(self.spark, copy, records, self.options, self.pace.stopped, self.parts)

    def _copied(self, source: Store, head: Head, name: str) -> Store:
        """Put a copy of a generation, which a run may continue, in force in a folder of the shadow run.

        Raises:
            CheckpointError: the generation has no micro-batch.
        """
        target = Store(self.folder.inside(name), product_version())
        generation, files = source.generation(head.generation), source.program(head)
        if progress_of(generation.folder).committed is None:
            raise CheckpointError(
                "no micro-batch of the checkpoint is committed yet",
                where=source.root.shown,
                remedy="wait for the first one",
            )
        origin = source.origin(head.generation)
        # The log of a generation may begin with an upgrade; where its state came from is not here.
        origin = None if origin is None else replace(origin, generation=0)
        new = target.new_generation(generation.versions, generation.run_id, origin)
        fork_last(generation, new, read_description(files.description, source.root.shown)["positions"])
        target.publish(new.number, target.new_program(new, files), "shadow")
        return target


def _alone(plan: CompiledPlan, compared: Iterable[TableSpec]) -> tuple[str, ...]:
    """The identifiers of a plan's tables that are not compared."""
    nodes = {table.node for table in compared}
    return tuple(table.identifier for node, table in tables_of(plan).items() if node not in nodes)


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
        try:
            _clear(folder)
        finally:
            held.release(True)
        folder.remove_empty()


def _clear(folder: Folder) -> None:
    for name in _FOLDERS:
        folder.remove(name)
