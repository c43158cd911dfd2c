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
from compiled_plan.plans.execution.state.upgrade.corrections import Correction, corrections_of
from compiled_plan.plans.execution.state.upgrade.outputs import (
    TableOutput,
    complete_return,
    discard_set_aside,
    history_of,
    later_than,
    mark_return,
    pending_return,
    planned_outputs,
)
from compiled_plan.plans.execution.state.upgrade.targets import Point
from compiled_plan.plans.inspection.checkpoints import GENERATIONS, Head, begin_of
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


#: The command of a rollback.
ROLLBACK = "--rollback"


@dataclass(frozen=True, slots=True)
class SinkOutput:
    """Rows that a table received from the generation that was rolled back.

    Args:
        rows: number of rows.
        files: number of files, if it is a folder of files.
        pattern: the names of these files; otherwise empty.
        correction: the correction of the table with which that generation began; None if there is none.
    """

    table: str
    rows: int
    files: int = 0
    pattern: str = ""
    correction: Correction | None = None

    @property
    def text(self) -> str:
        text = f"{self.table}: {self.rows} rows"
        if self.correction is not None:
            again = "; the start of the old plan with --upgrade correct takes that back"
            text += f", after a correction: {self.correction.text}{again if self.correction.sent else ''}"
        return f"{text} in {self.files} files, {self.pattern}" if self.pattern else text


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A checkpoint after a rollback.

    Args:
        generation: the generation in force now.
        before: the one in force before, which remains until it is pruned.
        batches: number of micro-batches that ran on it.
        sinks: the rows that sinks received in these; the old plan reads the same input again.
        outputs: of a rewind, the outcome for each table; otherwise empty: all output remains.
    """

    generation: int
    before: int
    batches: int
    sinks: tuple[SinkOutput, ...]
    outputs: tuple[TableOutput, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        document = {name: getattr(self, name) for name in self.__slots__}
        outputs = {"outputs": [output.to_dict() for output in self.outputs]}
        return document | {"sinks": [asdict(sink) for sink in self.sinks]} | outputs


def roll_back(spark: SparkSession, checkpoint: str, *, keep_output: bool = False) -> RolledBack:
    """Put the predecessor of the current generation in force again.

    The rollback of a rewind also returns the tables of sinks to the output of that generation; a repetition completes
    this if a process ends before.

    Args:
        checkpoint: the checkpoint's folder.
        keep_output: leave the output of a rewind where it is.

    Raises:
        CheckpointError: a run is active, there is no previous generation, it was removed, or a table cannot return.
    """
    store = store_of(spark, checkpoint)
    with store.locked(spark):
        head = head_of(store)
        if pending_return(store.generation(head.generation).folder) == ROLLBACK:
            return _completed(spark, store, head, keep_output)
        facts = store.facts(head.generation)
        former = facts.get("before", facts.get("from"))
        if former is None:
            raise CheckpointError(
                f"generation {head.generation}, which is in force, has no predecessor",
                where=store.root.shown,
                remedy="only a migration or a rewind creates a generation that can be rolled back",
            )
        number = former["generation"]
        if not store.has_generation(number):
            raise CheckpointError(
                f"generation {number}, which generation {head.generation} was made from, was removed by --prune",
                where=store.root.shown,
                remedy="continue with the plan of the checkpoint, or start with an empty checkpoint",
            )
        left = store.generation(head.generation)
        sinks = _sink_outputs(spark, CompiledPlan.from_json(store.program(head).plan), left)
        batches, folder = read_written(left.folder).batches, store.generation(number).folder
        outputs: tuple[TableOutput, ...] = ()
        if "before" in facts:
            later = later_than(store, Point(left.number, begin_of(store.origin(left.number))), left.number)
            outputs = planned_outputs(spark, store, history_of(store, number), later.rows, keep=keep_output)
            batches = later.batches
            mark_return(folder, ROLLBACK)
        store.publish(number, former["program"], f"rollback from {head.generation}")
        complete_return(folder, outputs)
        return RolledBack(number, head.generation, batches, sinks, outputs)


def _completed(spark: SparkSession, store: Store, head: Head, keep_output: bool) -> RolledBack:
    """Complete the rollback of a rewind that has been published."""
    before = store.heads()[-2].generation
    outputs = planned_outputs(spark, store, history_of(store, head.generation), None, keep=keep_output)
    complete_return(store.generation(head.generation).folder, outputs)
    return RolledBack(head.generation, before, 0, (), outputs)


def prune(spark: SparkSession, checkpoint: str) -> tuple[int, ...]:
    """Remove the generations that are not in force; return their numbers.

    Args:
        checkpoint: the checkpoint's folder.

    Raises:
        CheckpointError: a run is active, or there is no checkpoint.
    """
    store = store_of(spark, checkpoint)
    with store.locked(spark):
        head = head_of(store)
        removed = [number for number in store.root.numbers(GENERATIONS) if number != head.generation]
        discard_set_aside(spark, store, removed)
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


def store_of(spark: SparkSession, checkpoint: str) -> Store:
    """The checkpoint at a path. Raises CheckpointError if nothing was ever started, or heads are lost."""
    folder: Folder = folder_of(spark, checkpoint)
    store = Store(folder, product_version())
    # Before the lock, which creates a missing folder.
    head_of(store)
    store.check_heads()
    return store


def head_of(store: Store) -> Head:
    """The head in force. Raises CheckpointError if nothing was ever started."""
    store.program_in_force()
    head = store.head()
    assert head is not None
    return head


def _sink_outputs(spark: SparkSession, plan: CompiledPlan, generation: Generation) -> tuple[SinkOutput, ...]:
    rows = read_written(generation.folder).rows or {}
    context = connectors.SinkContext(spark, generation.run_id, print, writes=False, secrets=Secrets(lenient=True))
    corrections = {correction.node: correction for correction in corrections_of(generation.folder)}
    outputs = []
    for node in plan.sinks:
        assert isinstance(node, Sink)
        table = table_spec(node)
        files, pattern = connectors.files_of(table, context)
        count, correction = rows.get(table.identifier, 0), corrections.get(node.id)
        outputs.append(SinkOutput(table.identifier, count, files, pattern, correction))
    return tuple(outputs)
