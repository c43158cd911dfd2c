"""Execution of a migration: the state of the old generation is written into a new one beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatchmethod
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.copying import copy_constant_rows, copy_figures, copy_source_logs
from compiled_plan.plans.execution.state.checkpoint.fork import link_state
from compiled_plan.plans.execution.state.checkpoint.marks import carry_marks
from compiled_plan.plans.execution.state.checkpoint.offsets import entries, progress_of, watermark_of
from compiled_plan.plans.execution.state.checkpoint.records import RECORDED, record_batch
from compiled_plan.plans.execution.state.checkpoint.state_rows import stored_rows
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.execution.state.upgrade.conversion import Conversion
from compiled_plan.plans.execution.state.upgrade.correcting import Correcting
from compiled_plan.plans.execution.state.upgrade.decision import Decision
from compiled_plan.plans.execution.state.upgrade.filling import Filling
from compiled_plan.plans.execution.state.upgrade.replay import Environment, Replayed, replay
from compiled_plan.plans.execution.state.upgrade.seeding import Seeding, seeding_session, settle
from compiled_plan.plans.execution.state.upgrade.steps import (
    BEGINS,
    CarrySource,
    CompareTable,
    FinishBatch,
    MoveState,
    ReadState,
    Step,
    WriteState,
)
from compiled_plan.plans.inspection.checkpoints import FOLDER, ProgramFiles
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The folder of the replay, in a generation that is not in force yet.
_WARM_UP = f"{FOLDER}/warm-up"


class Migration:
    """A migration, under the checkpoint's lock; it takes effect when the new generation is published.

    Args:
        decision: its steps.
        last: the program of the old generation.
        old: the old generation, which is not modified.
        new: the new one.
        functions: the Python functions of the plan.
        clock: the clock by which state is written; by default the machine's.
        secrets: the secrets to which options of tables refer; by default those of the environment.
    """

    def __init__(
        self,
        spark: SparkSession,
        decision: Decision,
        last: ProgramFiles,
        old: Generation,
        new: Generation,
        functions: PythonFunctions | None = None,
        clock: BatchClock | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self.spark, self.decision, self.last, self.old, self.new = spark, decision, last, old, new
        self.functions, self.clock, self.secrets = functions, clock, secrets or Secrets()
        self._finish: Callable[[], None] = lambda: None
        self._stopped: Callable[[], bool] = lambda: False
        self._report: Callable[[int], None] = lambda number: None
        self._rows: DataFrame | None = None
        self._moved: list[MoveState] = []
        self._stages: Sequence[Mapping[str, object]] = ()
        self._states: Mapping[str, object] = {}
        self._ends = True
        self._filled: Mapping[str, int] = {}
        #: The corrections of tables, once they are compared.
        self.correcting: Correcting | None = None
        #: The initial watermark of the new generation, in ms.
        self._watermark = 0

    def begin(
        self,
        finish: Callable[[], None],
        stopped: Callable[[], bool],
        report: Callable[[int], None] = lambda number: None,
    ) -> None:
        """Run the steps before the new program is laid out over its sources.

        Args:
            finish: runs the pending micro-batch, with the old program.
            stopped: returns True if the run is to end.
            report: called with the number of each step, counted from 1, as it begins.
        """
        self._finish, self._stopped, self._report = finish, stopped, report
        copy_constant_rows(self.old.folder, self.new.folder)
        self._do_all(lambda step: isinstance(step, FinishBatch | CarrySource))

    def migrate(
        self,
        stages: Sequence[Mapping[str, object]],
        states: Mapping[str, object],
        positions: Mapping[str, str | None],
        ends: bool = True,
        sinks: Mapping[int, TableSpec] | None = None,
    ) -> None:
        """Migrate the state.

        Args:
            stages: the kernel's spec of each stage of the new program.
            states: the formats of its operators' bytes, by uid.
            positions: the positions of the sources, by name.
            ends: True if all sources of the new program are bounded.
            sinks: the tables of its sinks, by node.
        """
        filling = self.decision.filling
        if filling is not None and filling.sinks:
            tables = {node: table for node, table in (sinks or {}).items() if node in filling.sinks}
            self.correcting = Correcting(self.spark, self.new, tables, self.secrets, self._stopped)
        self._stages, self._states, self._ends = stages, states, ends
        self._watermark = watermark_of(self.old.folder)
        self._do_all(lambda step: not isinstance(step, FinishBatch | CarrySource))
        if progress_of(self.new.folder).committed is not None:
            settle(self.new.folder, positions, self._watermark)
        uids = {operator.uid: operator.mapping.source for operator in self._moved}
        copy_figures(self.old.folder, self.new.folder, uids, self._filled)
        carry_marks(self.old.folder, self.new.folder)
        record_batch(self.new.folder, 0, *RECORDED)

    def _do_all(self, chosen: Callable[[Step], bool]) -> None:
        for number, step in enumerate(self.decision.steps, 1):
            if chosen(step):
                self._report(number)
                self._do(step)

    @singledispatchmethod
    def _do(self, step: Step) -> None:
        """Execute a step; steps not matched here drop state, or are executed by the start."""

    @_do.register
    def _finish_batch(self, step: FinishBatch) -> None:
        self._finish()
        assert progress_of(self.old.folder).committed == step.batch

    @_do.register
    def _carry(self, step: CarrySource) -> None:
        if step.how == BEGINS:
            return
        copy_source_logs(self.old, self.new, step.names)

    @_do.register
    def _read(self, step: ReadState) -> None:
        committed = progress_of(self.old.folder).committed
        assert committed is not None
        hosts = [step.host] * len(json.loads(self.last.stages))
        self._rows = stored_rows(seeding_session(self.spark, step.partitions), self.old.folder.uri, hosts, committed)

    @_do.register
    def _take(self, step: MoveState) -> None:
        self._moved.append(step)

    @_do.register
    def _write(self, step: WriteState) -> None:
        assert self._rows is not None
        filling = self.decision.filling
        replayed = None if filling is None else self._replayed(filling, step)
        if filling is not None and replayed is not None and self._is_whole(filling, replayed):
            link_state(self.new.folder.inside(_WARM_UP), self.new.folder, 0)
        else:
            self._seed(step, self._rows, replayed)
        self.new.folder.remove(_WARM_UP)

    def _is_whole(self, filling: Filling, replayed: Replayed) -> bool:
        """Return True if a replay has left the state of the new program, as its first micro-batch does.

        Kept operators have the same state there: a filling refuses those whose state history does not yield.
        """
        own = ProgramFiles("", "", json.dumps(list(self._stages)), json.dumps(self._states))
        return self.clock is None and len(filling.batches) == 1 and replayed.program == own

    def _seed(self, step: WriteState, rows: DataFrame, replayed: Replayed | None) -> None:
        """Write the state of a generation and of operators filled from history, in the form of the new program."""
        conversion = Conversion(self._stages, self._states)
        converted = conversion.of(rows, self.last, [operator.mapping for operator in self._moved])
        if replayed is not None:
            filled = conversion.of(replayed.rows, replayed.program, self.decision.filled)
            converted = converted.unionByName(filled)
        writing = Seeding(seeding_session(self.spark, step.partitions))
        starting = None if self.clock is None else self.clock.for_next(writing.spark, self.new.folder)
        state = (self._stages, self._states, self._watermark)
        writing.seed(converted, self.new.folder, *state, self._stopped, starting)

    @_do.register
    def _compare(self, step: CompareTable) -> None:
        assert self.correcting is not None
        self.correcting.compare(step.table)

    def _replayed(self, filling: Filling, step: WriteState) -> Replayed:
        """Fill operators from history."""
        folder = self.new.folder.inside(_WARM_UP)
        copy_constant_rows(self.old.folder, folder)
        place = (step.host, step.partitions, self._ends, self._stopped)
        environment = Environment(self.spark, self.functions, *place, self.secrets)
        recorders = None if self.correcting is None else self.correcting.recorders()
        replayed = replay(filling, folder, entries(self.old.folder)[-1].about, environment, recorders)
        uids = [mapping.target for mapping in self.decision.filled]
        self._filled = {uid: replayed.entries.get(uid, 0) for uid in uids}
        if filling.clock.event_time and filling.clock.last is None:
            # The old program had no watermarks: those of its rows follow from the replay.
            self._watermark = replayed.watermark
        return replayed
