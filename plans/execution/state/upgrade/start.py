"""A start on a checkpoint: compared before any write, prepared under the lock, published when it begins.

`ProgramInForce` runs the old program once more, to finish its pending micro-batch.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import EllipsisType
from typing import TYPE_CHECKING
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.descriptions import StateForm
from compiled_plan.plans.execution.stages.prepared import sink_tables
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.comparison import StartingPoint, check_states
from compiled_plan.plans.execution.state.checkpoint.description import describe
from compiled_plan.plans.execution.state.checkpoint.losses import check_generation
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at, positions, progress_of, restore
from compiled_plan.plans.execution.state.checkpoint.sources import Names, names_of
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store, changed
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.execution.state.upgrade.correcting import Correcting
from compiled_plan.plans.execution.state.upgrade.corrections import Correction, send_corrections
from compiled_plan.plans.execution.state.upgrade.decision import Decision, UpgradeRequest, decide, unguarded
from compiled_plan.plans.execution.state.upgrade.migration import Migration
from compiled_plan.plans.execution.state.upgrade.outputs import check_returned
from compiled_plan.plans.execution.state.upgrade.partly import forgetting
from compiled_plan.plans.execution.state.upgrade.steps import FinishBatch
from compiled_plan.plans.inspection.checkpoints import ENDED, ENDS, Head, Origin, ProgramFiles
from compiled_plan.plans.inspection.diff.description import Description, read_description
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution.stages.prepared import PreparedPlan


class Start:
    """A start. The constructor decides what to do with the checkpoint; see `decide` for its errors.

    Args:
        folder: the root of the checkpoint.
        request: the program to start.
        guarded: False resumes in place despite any difference, to show the consequences in tests.
        expected: the head that the program was compared with before; by default any.

    Raises:
        BusyError: the checkpoint has another head than expected.
    """

    def __init__(
        self,
        folder: Folder,
        request: UpgradeRequest,
        *,
        guarded: bool = True,
        expected: Head | EllipsisType | None = ...,
    ) -> None:
        self.store, self.setting = Store(folder, request.setting.product), request.setting
        self.store.lease_seconds = request.options.lease_seconds
        self.functions, self.secrets = request.functions, request.secrets
        self.store.check_heads()
        self.head: Head | None = self.store.head()
        if expected is not ... and self.head != expected:
            raise changed(self.store.root)
        if self.head is not None:
            check_generation(self.store, self.head)
            check_returned(self.store.generation(self.head.generation).folder, self.store.root.shown)
        self.decision = (decide if guarded else unguarded)(self.store, request)
        self._generation = None if self.head is None else self.store.generation(self.head.generation)
        self._refuse_ended()
        #: A part of the names of what sinks write.
        self.run_id = uuid4().hex[:12] if self._generation is None or self.migrates else self._generation.run_id
        self._migration: Migration | None = None
        #: The clock by which a migration writes state; None for the machine's.
        self.clock: BatchClock | None = None
        #: Leaves the corrections of tables to the caller.
        self.corrects_later = False
        #: Called once this process holds the checkpoint, before the first step.
        self.on_begin: Callable[[], None] = lambda: None
        #: Called with the number of each step of a migration, counted from 1, as it begins.
        self.on_step: Callable[[int], None] = lambda number: None
        #: Called with each correction once its table has it.
        self.on_corrected: Callable[[Correction], None] = lambda correction: None
        self._publish: Callable[[], object] | None = None
        self._publishing = threading.Lock()

    @property
    def known(self) -> StartingPoint | None:
        """The checkpoint as the start uses it; None for a new one."""
        return None if self.decision is None else self.decision.known

    @property
    def positions(self) -> dict[str, str | None]:
        """Position of each source in the checkpoint, by name; empty for a new checkpoint."""
        if self._generation is None or self.known is None:
            return {}
        return positions(self._generation.folder) | dict(self.known.description["positions"])

    @property
    def migrates(self) -> bool:
        """Return True if the state migrates into a new generation first."""
        return self.decision is not None and self.decision.migrates

    @property
    def generation(self) -> Generation:
        """The generation that the run uses, once it is `begun`."""
        assert self._generation is not None
        return self._generation

    def _refuse_ended(self) -> None:
        if self._generation is None:
            return
        if self._generation.folder.holds(ENDED):
            raise CheckpointError(
                "the input of this checkpoint's run has ended and its windows are closed",
                where=self.store.root.shown,
                remedy="start with an empty checkpoint; run with --available-now to leave windows open for more input",
            )
        if self.migrates and self._generation.folder.names(ENDS):
            raise CheckpointError(
                "the input of this checkpoint's run has ended, and not all of its windows are closed yet",
                where=self.store.root.shown,
                remedy="run the plan that the checkpoint was written by to its end, or start with an empty checkpoint",
            )

    @contextmanager
    def begun(
        self,
        spark: SparkSession,
        lost: Callable[[], None],
        finish: Callable[[], None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[None]:
        """Hold the checkpoint's lock in this context; remove everything unpublished afterwards.

        Args:
            lost: called if another process takes over the checkpoint.
            finish: runs the pending micro-batch with the old program, if the state migrates.
            stopped: returns True if the run is to end during the migration.

        Raises:
            CheckpointError: another run holds it, or has changed it since the comparison.
        """
        with self.store.locked(spark, lost):
            if self.store.head() != self.head:
                raise changed(self.store.root)
            self._refuse_ended()
            if self.migrates:
                self._check_unchanged()
            self.on_begin()
            if self.head is not None:
                self.store.keep_copy(self.head)
                self.send_corrections(spark)
            if self._generation is None:
                self._generation = self.store.new_generation(self.setting.versions, self.run_id)
            elif self.migrates:
                self._begin_migration(spark, self._generation, finish, stopped)
            yield

    def _check_unchanged(self) -> None:
        """Refuse if a micro-batch began or ended since the decision."""
        assert self.decision is not None
        assert self._generation is not None
        begun = next((step.batch for step in self.decision.steps if isinstance(step, FinishBatch)), None)
        progress, filling = progress_of(self._generation.folder), self.decision.filling
        if progress.planned != begun or (filling is not None and filling.progress != progress):
            raise changed(self.store.root)

    def _begin_migration(
        self, spark: SparkSession, old: Generation, finish: Callable[[], None], stopped: Callable[[], bool]
    ) -> None:
        assert self.decision is not None
        assert self.head is not None
        origin = Origin(self.head.generation, self.head.program)
        self._generation = self.store.new_generation(self.setting.versions, self.run_id, origin)
        last = self.store.program(self.head)
        environment = (self.functions, self.clock, self.secrets)
        self._migration = Migration(spark, self.decision, last, old, self._generation, *environment)
        self._migration.begin(finish, stopped, self.on_step)

    def prepare(
        self,
        prepared: PreparedPlan,
        stages: Sequence[Mapping[str, object]],
        state: Mapping[str, StateForm],
        ends: bool = True,
    ) -> None:
        """Write the program for `publish`, and the positions from which Spark continues each source.

        If the state migrates, this does it.

        Args:
            prepared: the plan to start, with the uids of the checkpoint.
            stages: the kernel's spec of each stage.
            state: the formats of each operator's bytes, by uid.
            ends: True if all sources of the program are bounded.
        """
        recorded = {} if self.known is None else self.known.description["positions"]
        folder = self.generation.folder if self._migration is None else self._migration.old.folder
        # The log may have an outdated position of a source that the last program did not read.
        reached = positions(folder) | recorded
        names, files = self._described(prepared, stages, state, reached)
        if self._migration is not None:
            wanted = dict.fromkeys(names.by_node.values())
            wanted |= {name: at for name, at in reached.items() if name in names.all()}
            self._migration.migrate(stages, state, wanted, ends, sink_tables(prepared.sinks))
            if self.correcting is not None and not self.corrects_later:
                self.correcting.write(self.generation.folder)
            self._new_program(files, "migrate")
            self.publish()
            return
        last = None if self.head is None else self.store.program(self.head)
        if last is not None:
            check_states(json.loads(last.state), state, self.store.root)
        restore(folder, {name: at for name, at in recorded.items() if name in names.all()})
        if last is None or (last.plan, last.description) != (files.plan, files.description):
            self._new_program(files, "start")

    @property
    def correcting(self) -> Correcting | None:
        """The corrections of tables that a migration has compared."""
        return None if self._migration is None else self._migration.correcting

    def _described(
        self,
        prepared: PreparedPlan,
        stages: Sequence[Mapping[str, object]],
        state: Mapping[str, StateForm],
        reached: Mapping[str, str | None],
    ) -> tuple[Names, ProgramFiles]:
        """The names of a program's sources, and the program's files.

        Args:
            reached: positions of sources that the program or an earlier one reads, by name.
        """
        old = None if self.known is None else self.known.description
        names = names_of(prepared, self.setting, old)
        setting = self.setting
        if self.known is not None and self.known.partitions:
            setting = replace(setting, partitions=self.known.partitions)
        description: Description = {
            **describe(prepared, setting),
            "sources": names.active,
            "gone": names.gone,
            "positions": {name: reached[name] for name in sorted(reached) if name not in names.all()},
            "partly": {**({} if self.decision is None else self.decision.partly), **forgetting(prepared.plan)},
        }
        files = ProgramFiles(
            # Earlier releases, to which a checkpoint may return, refuse `$schema`.
            prepared.plan.with_schema("").to_json(),
            json.dumps(description, indent=1),
            json.dumps(list(stages), indent=1),
            json.dumps(state, indent=1),
        )
        return names, files

    def _new_program(self, files: ProgramFiles, by: str) -> None:
        generation, number = self.generation.number, self.store.new_program(self.generation, files)
        self._publish = lambda: self.store.publish(generation, number, by)

    def send_corrections(self, spark: SparkSession) -> None:
        """Send the corrections with which the generation in force begins; does nothing once tables have them."""
        if self._generation is not None:
            send_corrections(spark, self.store, self._generation, self.secrets, self.on_corrected)

    def publish(self) -> None:
        """Put the prepared program in force. Idempotent and thread-safe."""
        with self._publishing:
            if self._publish is not None:
                self._publish()
                self._publish = None

    def end(self) -> None:
        """Record the end of the input: no later start on the checkpoint is possible."""
        self.generation.folder.write_text(ENDED, "")


def batch_clock(start: Start, prepared: PreparedPlan, options: RunOptions) -> BatchClock:
    """The clock of a run on a checkpoint.

    Raises:
        CheckpointError: the machine's clock has jumped since the last micro-batch, and state depends on it.
    """
    matters = prepared.emits_by_processing_time or bool(forgetting(prepared.plan))
    strict, where = matters and not options.allow_clock_jump, start.store.root.shown
    if start.head is None:
        return BatchClock(where, strict=strict)
    generation = start.store.generation(start.head.generation).folder
    last = progress_of(generation).last
    at = None if last is None else begun_at(generation, last)
    return BatchClock(where, at, read_written(generation).clock, strict=strict)


class ProgramInForce(Start):
    """The program that a checkpoint holds, unchanged: nothing is compared or published.

    Args:
        store: the checkpoint, whose lock is held.
    """

    def __init__(self, store: Store) -> None:
        head = store.head()
        assert head is not None
        files = store.program(head)
        description = read_description(files.description, store.root.shown)
        self.store, self.head = store, head
        self.plan = CompiledPlan.from_json(files.plan)
        self.host: str = description["host"]
        self.decision = Decision(StartingPoint({}, description["partitions"], description))
        self._generation = store.generation(head.generation)
        self.run_id = self._generation.run_id

    @contextmanager
    def begun(
        self,
        spark: SparkSession,
        lost: Callable[[], None],
        finish: Callable[[], None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[None]:
        """Yield: the lock is held already."""
        yield

    def publish(self) -> None:
        """Do nothing: the program is in force already."""
