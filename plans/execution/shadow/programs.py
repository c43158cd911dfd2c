"""Programs in force on copies of a checkpoint, run one round of micro-batches after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.batches.micro_batches import MicroBatches
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.run import run_in_force
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.stages.prepared import sink_tables
from compiled_plan.plans.execution.state.checkpoint.fork import link_source
from compiled_plan.plans.execution.state.checkpoint.offsets import (
    Entry,
    entry_of,
    plan_batch,
    progress_of,
    watermark_of,
)
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store
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
        recorded_plan: see `run_in_force`.
    """

    spark: SparkSession
    store: Store
    records: Records
    options: RunOptions
    stopped: Callable[[], bool]
    parts: Mapping[str, Any]
    recorded_plan: CompiledPlan | None = None

    @property
    def plan(self) -> CompiledPlan:
        return ProgramInForce(self.store).plan

    @property
    def generation(self) -> Generation:
        return ProgramInForce(self.store).generation

    @property
    def sources(self) -> frozenset[str]:
        """The names under which the checkpoint has the positions of its sources."""
        known = ProgramInForce(self.store).known
        assert known is not None
        return frozenset(name for source in known.description["sources"] for name in source["names"])

    @property
    def batch(self) -> int:
        """The number of the last micro-batch."""
        committed = progress_of(self.generation.folder).committed
        return -1 if committed is None else committed

    def advance(self) -> int:
        """Read all rows available; return their number."""
        return self._run(MicroBatches.start)

    def repeat(self, lead: Generation, planned: Iterable[Entry]) -> int:
        """Run micro-batches that another program has run: the same rows, at the same times.

        Args:
            lead: the generation of the other program, which reads all sources of this one.
            planned: its micro-batches after those that this program has run.

        Returns:
            The number of rows that this program read.
        """
        rows = 0
        for entry in planned:
            own, last = self.generation, self.batch
            positions = {name: at for name, at in entry.positions.items() if name in self.sources}
            for name, position in positions.items():
                link_source(lead, own, name, position)
            before = entry_of(own.folder, last)
            about = {**before.about, "batchTimestampMs": entry.about["batchTimestampMs"]}
            following = Entry(last + 1, watermark_of(own.folder), {**before.positions, **positions}, about)
            plan_batch(own.folder, following)
            rows += self._run(partial(MicroBatches.finish, drain=False))
        return rows

    def _run(self, start: Callable[..., StreamingQuery]) -> int:
        """Run micro-batches; return the number of rows that they read."""
        place = (self.spark, self.store, self.options, self.stopped)
        query = run_in_force(*place, start, self.recorded_plan, open_sink=self.records.open, **self.parts)
        return sum(progress.numInputRows for progress in query.recentProgress)


def tables_of(plan: CompiledPlan) -> dict[int, TableSpec]:
    """The tables of a plan's sinks, by node."""
    return sink_tables([node for node in plan.nodes if isinstance(node, Sink)])
