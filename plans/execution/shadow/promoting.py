"""Promotion: the state of a shadow becomes the next generation of the checkpoint that it has followed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from compiled_plan.plans.errors import BusyError, UnsupportedError
from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.run import run_in_force
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.stopping import StoppedError
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.report import Outcome
from compiled_plan.plans.execution.shadow.rounds import ComparedTable, Rounds, table_pairs
from compiled_plan.plans.execution.state.checkpoint.fork import fork
from compiled_plan.plans.execution.state.checkpoint.losses import check_generation
from compiled_plan.plans.execution.state.checkpoint.offsets import positions, progress_of
from compiled_plan.plans.execution.state.checkpoint.records import record_batch
from compiled_plan.plans.execution.state.checkpoint.store import Store, changed
from compiled_plan.plans.execution.state.checkpoint.written import forget_rows
from compiled_plan.plans.execution.state.upgrade.correcting import Correcting
from compiled_plan.plans.execution.state.upgrade.corrections import check_sent
from compiled_plan.plans.execution.state.upgrade.decision import Decision
from compiled_plan.plans.execution.state.upgrade.outputs import check_returned
from compiled_plan.plans.execution.state.upgrade.rollback import head_of
from compiled_plan.plans.inspection.checkpoints import WRITTEN, Head, Origin, ProgramFiles
from compiled_plan.plans.inspection.diff.description import read_description
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Seconds between two attempts to lock the checkpoint of the old run.
_RETRY_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Promotion:
    """The promotion of a shadow that follows the micro-batches of the old run, see `Committed`.

    Args:
        spark: the session.
        store: the checkpoint.
        head: its head when the shadow began.
        new: the new program.
        options: the options of the run.
        parts: see `OpenedRun`.
        due: returns False while the shadow only follows, even if the old run has stopped.
        correcting: the corrections of tables, as of the begin of the shadow; None for none.
    """

    spark: SparkSession
    store: Store
    head: Head
    new: ShadowProgram
    options: RunOptions
    parts: Mapping[str, Any]
    due: Callable[[], bool]
    correcting: Correcting | None = None

    def take_over(self, rounds: Rounds) -> int | None:
        """Follow the old run until it has stopped, then put the new program in force with the state of the shadow.

        A micro-batch that the old run has begun and not committed is finished by the old program, whose rows of it may
        be in the sinks. A process may end at any time: the old generation is in force or the new one.

        Returns:
            The new generation; None if the programs differ otherwise than named, or the shadow was stopped.

        Raises:
            BusyError: another program was started on the checkpoint meanwhile.
        """
        while rounds.report.outcome is not Outcome.OTHERWISE and not rounds.pace.stopped():
            with ExitStack() as held:
                if self.due() and self._lock(held):
                    return self._under_lock(rounds)
            with suppress(StoppedError):
                rounds.once()
            time.sleep(_RETRY_SECONDS)
            rounds.pace.pause()
        return None

    def _lock(self, held: ExitStack) -> bool:
        """Lock the checkpoint; return False while the old run has it."""
        with suppress(BusyError):
            held.enter_context(self.store.locked(self.spark))
            return True
        return False

    def _under_lock(self, rounds: Rounds) -> int | None:
        if self.store.head() != self.head:
            raise changed(self.store.root)
        check_generation(self.store, self.head)
        generation = self.store.generation(self.head.generation).folder
        check_returned(generation, self.store.root.shown)
        check_sent(generation, self.store.root.shown)
        try:
            if progress_of(generation).planned is not None:
                finish = partial(MicroBatches.finish, drain=False)
                run_in_force(self.spark, self.store, self.options, rounds.pace.stopped, finish, **self.parts)
            rounds.once()
        except StoppedError:
            return None
        return None if rounds.report.outcome is Outcome.OTHERWISE else self._published(rounds.tables)

    def _published(self, tables: Sequence[ComparedTable]) -> int:
        source, old = self.new.generation, self.store.generation(self.head.generation).folder
        committed = progress_of(old).committed
        files = self._files()
        target = self.store.new_generation(
            source.versions,
            uuid4().hex[:12],
            Origin(self.head.generation, self.head.program, self.new.batch, -1 if committed is None else committed),
        )
        fork(source, self.new.batch, target, read_description(files.description, self.store.root.shown)["positions"])
        forget_rows(target.folder)
        record_batch(target.folder, self.new.batch, WRITTEN)
        if self.correcting is not None:
            changes = {table.sink: table.comparison.last_changes() for table in tables}
            since = {node: both for node, both in changes.items() if both is not None}
            self.correcting.write(target.folder, since)
        self.store.publish(target.number, self.store.new_program(target, files), "promote")
        return target.number

    def _files(self) -> ProgramFiles:
        """The files of the new program, with the present positions of the tables that it no longer reads."""
        files = self.new.store.program(head_of(self.new.store))
        description = json.loads(files.description)
        reached = positions(self.store.generation(self.head.generation).folder)
        description["positions"] |= {name: reached[name] for name in description["positions"] if name in reached}
        return replace(files, description=json.dumps(description, indent=1))


def check_followed(old: CompiledPlan, new: CompiledPlan, decision: Decision) -> None:
    """Refuse tables to correct whose rows the old program does not write, or with another key or other columns.

    Args:
        old: the plan in force.
        new: the new plan.
        decision: the decision on its start.

    Raises:
        UnsupportedError: names them.
    """
    if decision.filling is None or decision.diff is None:
        return
    same = {
        node
        for _, node, pair in table_pairs(old, new, decision.diff)
        if (pair.old.primary_key, pair.old.columns) == (pair.new.primary_key, pair.new.columns)
    }
    tables = tables_of(new)
    others = ", ".join(tables[node].identifier for node in decision.filling.sinks if node not in same)
    if others:
        raise UnsupportedError(
            f"--promote cannot correct {others}: the old run does not write it, or with another key or other columns",
            remedy="stop the old run, and start the plan with --upgrade correct",
        )
