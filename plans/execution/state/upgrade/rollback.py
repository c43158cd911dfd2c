"""Rollback to the previous generation, adoption of one whose head was lost, and removal of others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.stages.prepared import table_spec
from compiled_plan.plans.execution.state.checkpoint.store import Generation, Store
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.inspection.checkpoints import GENERATIONS, Head
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class SinkOutput:
    """Rows that a table received from the generation that was rolled back.

    Args:
        rows: number of rows.
        files: number of files, if it is a folder of files.
        pattern: the names of these files; otherwise empty.
    """

    table: str
    rows: int
    files: int = 0
    pattern: str = ""

    @property
    def text(self) -> str:
        text = f"{self.table}: {self.rows} rows"
        return f"{text} in {self.files} files, {self.pattern}" if self.pattern else text


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A checkpoint after a rollback.

    Args:
        generation: the generation in force now.
        before: the one in force before, which remains until it is pruned.
        batches: number of micro-batches that ran on it.
        sinks: the rows that sinks received in these; the old plan reads the same input again.
    """

    generation: int
    before: int
    batches: int
    sinks: tuple[SinkOutput, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"sinks": [asdict(sink) for sink in self.sinks]}


def roll_back(spark: SparkSession, checkpoint: str) -> RolledBack:
    """Put the predecessor of the current generation in force again.

    Args:
        checkpoint: the checkpoint's folder.

    Raises:
        CheckpointError: a run is active, there is no previous generation, or it was removed.
    """
    store = _store(spark, checkpoint)
    with store.locked(spark):
        head = _head(store)
        former = store.facts(head.generation).get("from")
        if former is None:
            raise CheckpointError(
                f"generation {head.generation}, which is in force, has no predecessor",
                where=store.root.shown,
                remedy="only a migration creates a generation that can be rolled back",
            )
        number = former["generation"]
        if not store.root.holds(f"{GENERATIONS}/{number}"):
            raise CheckpointError(
                f"generation {number}, which generation {head.generation} was made from, was removed by --prune",
                where=store.root.shown,
                remedy="continue with the plan of the checkpoint, or start with an empty checkpoint",
            )
        left = store.generation(head.generation)
        sinks = _sink_outputs(spark, CompiledPlan.from_json(store.program(head).plan), left)
        store.publish(number, former["program"], f"rollback from {head.generation}")
        return RolledBack(number, head.generation, read_written(left.folder).batches, sinks)


def prune(spark: SparkSession, checkpoint: str) -> tuple[int, ...]:
    """Remove the generations that are not in force; return their numbers.

    Args:
        checkpoint: the checkpoint's folder.

    Raises:
        CheckpointError: a run is active, or there is no checkpoint.
    """
    store = _store(spark, checkpoint)
    with store.locked(spark):
        head = _head(store)
        return store.remove_generations(but=head.generation)


def adopt(spark: SparkSession, checkpoint: str, generation: int) -> Head:
    """Put a generation whose head was lost in force, with the program that it last ran.

    Args:
        checkpoint: the checkpoint's folder.
        generation: its number.

    Raises:
        CheckpointError: a run is active, or there is no such generation.
    """
    store = Store(folder_of(spark, checkpoint), product_version())
    if not store.root.holds(GENERATIONS):
        store.program_in_force()
    with store.locked(spark):
        return store.adopt(generation)


def _store(spark: SparkSession, checkpoint: str) -> Store:
    folder: Folder = folder_of(spark, checkpoint)
    store = Store(folder, product_version())
    # Before the lock, which creates a missing folder.
    _head(store)
    store.check_heads()
    return store


def _head(store: Store) -> Head:
    store.program_in_force()
    head = store.head()
    assert head is not None
    return head


def _sink_outputs(spark: SparkSession, plan: CompiledPlan, generation: Generation) -> tuple[SinkOutput, ...]:
    rows = read_written(generation.folder).rows or {}
    context = connectors.SinkContext(spark, generation.run_id, print, writes=False, secrets=Secrets(lenient=True))
    outputs = []
    for node in plan.sinks:
        assert isinstance(node, Sink)
        table = table_spec(node)
        files, pattern = connectors.files_of(table, context)
        outputs.append(SinkOutput(table.identifier, rows.get(table.identifier, 0), files, pattern))
    return tuple(outputs)
