"""Back to the generation before or to one whose head was lost, and removing generations that do not count."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.description import product_version
from compiled_plan.plans.execution.checkpoint.store import Generation, Store
from compiled_plan.plans.execution.checkpoint.written import read_written
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.spark.storage import Folder, folder_of
from compiled_plan.plans.execution.stages.prepared import table_spec
from compiled_plan.plans.inspection.checkpoints import GENERATIONS, Head
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What a table got of the generation that counts no more.

    Args:
        rows: how many rows.
        files: how many files, where it is a folder of them.
        pattern: the names of these files; empty elsewhere.
    """

    table: str
    rows: int
    files: int = 0
    pattern: str = ""

    @property
    def text(self) -> str:
        """For people."""
        text = f"{self.table}: {self.rows} rows"
        return f"{text} in {self.files} files, {self.pattern}" if self.pattern else text


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A checkpoint that went back.

    Args:
        generation: the generation that counts now.
        before: the one that counted before, which stays until it is pruned.
        batches: how many micro-batches ran on that one.
        sinks: what the sinks got in these; the old plan reads the same input again.
    """

    generation: int
    before: int
    batches: int
    sinks: tuple[Meanwhile, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self) | {"sinks": [asdict(sink) for sink in self.sinks]}


def roll_back(spark: SparkSession, checkpoint: str) -> RolledBack:
    """Have the generation count again that the present one was made from.

    Args:
        checkpoint: the checkpoint's folder.

    Raises:
        CheckpointError: a run goes on, there is no generation before, or it was removed.
    """
    store = _store(spark, checkpoint)
    with store.locked(spark):
        head = _head(store)
        former = store.facts(head.generation).get("from")
        if former is None:
            raise CheckpointError(
                f"there is no generation before generation {head.generation}, which counts",
                where=store.root.shown,
                remedy="only a migration makes a generation that can be left again",
            )
        number = former["generation"]
        if not store.root.holds(f"{GENERATIONS}/{number}"):
            raise CheckpointError(
                f"generation {number}, which generation {head.generation} was made from, was removed by --prune",
                where=store.root.shown,
                remedy="go on with the plan that the checkpoint holds, or start with an empty checkpoint",
            )
        left = store.generation(head.generation)
        sinks = _meanwhile(spark, CompiledPlan.from_json(store.program(head).plan), left)
        store.publish(number, former["program"], f"rollback from {head.generation}")
        return RolledBack(number, head.generation, read_written(left.folder).batches, sinks)


def prune(spark: SparkSession, checkpoint: str) -> tuple[int, ...]:
    """Remove the generations that do not count; gives their numbers.

    Args:
        checkpoint: the checkpoint's folder.

    Raises:
        CheckpointError: a run goes on, or there is nothing.
    """
    store = _store(spark, checkpoint)
    with store.locked(spark):
        head = _head(store)
        return store.remove_generations(but=head.generation)


def adopt(spark: SparkSession, checkpoint: str, generation: int) -> Head:
    """Have a generation count whose head was lost, with the program that it last ran.

    Args:
        checkpoint: the checkpoint's folder.
        generation: its number.

    Raises:
        CheckpointError: a run goes on, or there is no such generation.
    """
    store = Store(folder_of(spark, checkpoint), product_version())
    if not store.root.holds(GENERATIONS):
        store.program_in_force()
    with store.locked(spark):
        return store.adopt(generation)


def _store(spark: SparkSession, checkpoint: str) -> Store:
    folder: Folder = folder_of(spark, checkpoint)
    store = Store(folder, product_version())
    # Before the lock, which makes the folder where there is none.
    _head(store)
    store.check_heads()
    return store


def _head(store: Store) -> Head:
    store.program_in_force()
    head = store.head()
    assert head is not None
    return head


def _meanwhile(spark: SparkSession, plan: CompiledPlan, generation: Generation) -> tuple[Meanwhile, ...]:
    rows = read_written(generation.folder).rows or {}
    context = connectors.SinkContext(spark, generation.run_id, print, writes=False)
    meanwhile = []
    for node in plan.sinks:
        assert isinstance(node, Sink)
        table = table_spec(node)
        files, pattern = connectors.files_of(table, context)
        meanwhile.append(Meanwhile(table.identifier, rows.get(table.identifier, 0), files, pattern))
    return tuple(meanwhile)
