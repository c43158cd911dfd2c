"""A shadow run: a copy of the checkpoint for each program, rounds over the same input, and the comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import CHECK, CORRECT, MIGRATE_PARTIAL, RunOptions
from compiled_plan.plans.execution.shadow.locating import Locating
from compiled_plan.plans.execution.shadow.pace import Pace
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.promoting import Promotion
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.execution.shadow.rounds import Available, Committed, Limits, Rounds, compared_tables
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.state.checkpoint.fork import fork_last
from compiled_plan.plans.execution.state.checkpoint.locks import lock
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rollback import head_of, store_of
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
            reads one; the start would correct the past.
        StoppedError: it was stopped before the end of its first round.
    """
    if options.upgrade == CORRECT:
        remedy = "fill operators with --reset and --warm-up"
        raise UnsupportedError("--upgrade correct has no effect in a shadow, which writes to no sink", remedy=remedy)
    begin = time.monotonic()
    with _scratch(spark, options) as folder:
        store = store_of(spark, options.checkpoint)
        store.lease_seconds = options.lease_seconds
        head = head_of(store)
        stores = [Store(folder.inside(name), product_version()) for name in (_OLD, _NEW)]
        batch = _copy(store, head, stores[0])
        _copy(stores[0], head_of(stores[0]), stores[1])
        sides = CompiledPlan.from_json(stores[0].program_in_force().plan), plan
        pace = Pace(limits.share, stopped)
        records = [
            Records(
                folder.inside(f"{_RECORDS}/{name}"),
                frozenset(table.sink for table in tables_of(side).values()),
                pace.pause,
            )
            for name, side in zip((_OLD, _NEW), sides, strict=True)
        ]
        how = MIGRATE_PARTIAL if options.upgrade == CHECK else options.upgrade
        start = replace(options, checkpoint=stores[1].root.uri, upgrade=how)
        Run(spark, plan, start, open_sink=records[1].open, **parts).prepare()
        old, new = programs = [
            ShadowProgram(spark, copy, recorded, options, stopped, parts)
            for copy, recorded in zip(stores, records, strict=True)
        ]
        starts = [Store(folder.inside(f"{_STARTS}/{name}"), product_version()) for name in (_OLD, _NEW)]
        for copy, first in zip(stores, starts, strict=True):
            _copy(copy, head_of(copy), first)
        both = PlanPair.of(old.plan, new.plan)
        diff = diff_of(both)
        tables = compared_tables(old, new, both, diff, folder.inside(_COMPARED))
        lead = store.generation(head.generation)
        rounds = Rounds(
            old,
            new,
            Committed(old, new, lead, batch) if promote else Available(old, new),
            tables,
            ShadowReport(
                batch,
                only_old=_alone(old.plan, [table.comparison.pair.old for table in tables]),
                only_new=_alone(new.plan, [table.comparison.pair.new for table in tables]),
            ),
            pace,
            report,
            begin,
        )
        rounds.run(limits)
        first_old, first_new = (replace(side, store=first) for side, first in zip(programs, starts, strict=True))
        rounds.locate(Locating((first_old, first_new), both, diff, folder.inside(_LOCATED)))
        if promote:
            generation = Promotion(spark, store, head, new, options, parts, due).take_over(rounds)
            rounds.report = replace(rounds.report, promoted=generation)
        return rounds.report


def _alone(plan: CompiledPlan, compared: Iterable[TableSpec]) -> tuple[str, ...]:
    """The identifiers of a plan's tables that are not compared."""
    nodes = {table.node for table in compared}
    return tuple(table.identifier for node, table in tables_of(plan).items() if node not in nodes)


def _copy(source: Store, head: Head, target: Store) -> int:
    """Put a copy of a generation, which a run may continue, in force elsewhere.

    Args:
        source: the checkpoint of the generation.
        head: names the generation and its program.
        target: another checkpoint.

    Returns:
        The number of its last micro-batch.

    Raises:
        CheckpointError: it has none.
    """
    generation, files = source.generation(head.generation), source.program(head)
    if progress_of(generation.folder).committed is None:
        raise CheckpointError(
            "no micro-batch of the checkpoint is committed yet",
            where=source.root.shown,
            remedy="wait for the first one",
        )
    origin = source.origin(generation.number)
    # The log of a generation may begin with an upgrade; where its state came from is not here.
    origin = None if origin is None else replace(origin, generation=0)
    new = target.new_generation(generation.versions, generation.run_id, origin)
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
        try:
            _clear(folder)
        finally:
            held.release(True)
        folder.remove_empty()


def _clear(folder: Folder) -> None:
    for name in _FOLDERS:
        folder.remove(name)
