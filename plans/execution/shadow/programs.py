"""Programs in force on copies of a checkpoint, run one round of micro-batches after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.run import run_in_force
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import sink_tables
from compiled_plan.plans.execution.state.checkpoint.file_logs import place_of
from compiled_plan.plans.execution.state.checkpoint.offsets import (
    Entry,
    entries,
    entry_of,
    plan_batch,
    progress_of,
    watermark_of,
)
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.start import ProgramInForce
from compiled_plan.plans.execution.tables.records import Records
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(slots=True)
class ShadowProgram:
    """The program in force on a copy of a checkpoint, whose sinks record what they get.

    Args:
        spark: the session.
        store: the copy, which no other process uses.
        records: the records of the current round.
        options: the options of its runs.
        stopped: returns True once a run is to end.
        parts: see `OpenedRun`.
    """

    spark: SparkSession
    store: Store
    records: Records
    options: RunOptions
    stopped: Callable[[], bool]
    parts: Mapping[str, Any]

    @property
    def plan(self) -> CompiledPlan:
        return ProgramInForce(self.store).plan

    @property
    def folder(self) -> Folder:
        return ProgramInForce(self.store).generation.folder

    @property
    def sources(self) -> frozenset[str]:
        """The names under which the checkpoint has the positions of its sources."""
        known = ProgramInForce(self.store).known
        assert known is not None
        return frozenset(name for source in known.description["sources"] for name in source["names"])

    @property
    def batch(self) -> int:
        """The number of the last micro-batch."""
        committed = progress_of(self.folder).committed
        return -1 if committed is None else committed

    def advance(self) -> int:
        """Read all rows available; return their number."""
        return self._run(MicroBatches.start)

    def repeat(self, lead: ShadowProgram, since: int) -> None:
        """Run the micro-batches that another program has run: the same rows, at the same times.

        Args:
            lead: the other program, which reads all sources of this one.
            since: the micro-batch of the other program up to which both have read the same.
        """
        for name in self.sources:
            lead.folder.copy(place_of(name), self.folder)
        for planned in entries(lead.folder):
            if planned.number > since:
                folder, last = self.folder, self.batch
                before = entry_of(folder, last)
                positions = {name: at for name, at in planned.positions.items() if name in self.sources}
                about = {**before.about, "batchTimestampMs": planned.about["batchTimestampMs"]}
                plan_batch(folder, Entry(last + 1, watermark_of(folder), {**before.positions, **positions}, about))
                self._run(partial(MicroBatches.finish, drain=False))

    def _run(self, start: Callable[..., StreamingQuery]) -> int:
        """Run micro-batches; return the number of rows that they read."""
        place = (self.spark, self.store, self.options, self.stopped)
        query = run_in_force(*place, start, open_sink=self.records.open, **self.parts)
        return sum(progress.numInputRows for progress in query.recentProgress)


def tables_of(plan: CompiledPlan) -> dict[int, TableSpec]:
    """The tables of a plan's sinks, by node."""
    return sink_tables([node for node in plan.nodes if isinstance(node, Sink)])
