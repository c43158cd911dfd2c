"""Rewinds: a generation as it was after an earlier micro-batch becomes a new generation, in force instead of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.checkpoint.file_logs import read_until
from compiled_plan.plans.execution.state.checkpoint.fork import fork
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, entry_of, progress_of
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.corrections import check_sent
from compiled_plan.plans.execution.state.upgrade.outputs import (
    TableOutput,
    complete_return,
    history_of,
    later_than,
    mark_return,
    planned_outputs,
)
from compiled_plan.plans.execution.state.upgrade.rollback import head_of, store_of
from compiled_plan.plans.execution.state.upgrade.targets import Point, Target, resolved, time_text
from compiled_plan.plans.inspection.checkpoints import TICKS, Head, Origin
from compiled_plan.plans.inspection.diff.description import read_description

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Rewound:
    """A checkpoint after a rewind, or as it would be after a dry run.

    Args:
        generation: the generation in force; 0 in a dry run that would make a new one.
        before: the generation in force before, which remains until it is pruned.
        origin: the generation that ran the micro-batch.
        batch: the last micro-batch of the state and of the positions.
        begun: the time for which it was planned, ISO 8601 in UTC.
        batches: number of micro-batches after it.
        kept_bytes: bytes of state that remain for a rollback, beyond those of the new generation.
        sinks: the outcome for each table.
    """

    generation: int
    before: int
    origin: int
    batch: int
    begun: str
    batches: int
    kept_bytes: int
    sinks: tuple[TableOutput, ...]

    def to_dict(self) -> dict[str, Any]:
        document = {name: getattr(self, name) for name in self.__slots__}
        return document | {"sinks": [sink.to_dict() for sink in self.sinks]}


def rewind(
    spark: SparkSession, checkpoint: str, target: str, *, keep_output: bool = False, dry_run: bool = False
) -> Rewound:
    """Put a new generation in force that continues behind an earlier micro-batch.

    A process may end at any time: the checkpoint has the old generation or the new one, and a repetition completes the
    return of tables.

    Args:
        checkpoint: the checkpoint's folder.
        target: see `Target`.
        keep_output: leave the output of later micro-batches where it is.
        dry_run: report, and change nothing.

    Raises:
        CheckpointError: a run is active, the micro-batch is not retained, or a table cannot return.
    """
    wanted, command = Target.parse(target), f"--rewind-to {target}"
    store = store_of(spark, checkpoint)
    with nullcontext() if dry_run else store.locked(spark):
        head = head_of(store)
        description = read_description(store.program(head).description, store.root.shown)
        point = resolved(store, wanted, head.generation, description)
        source = store.generation(point.generation)
        check_sent(store.generation(head.generation).folder, store.root.shown)
        entry = entry_of(source.folder, point.batch)
        _check_entry(store, point, entry)
        history, later = history_of(store, point.generation, point.batch), later_than(store, point, head.generation)
        outputs = planned_outputs(spark, store, history, later.rows, keep=keep_output)
        files, generation = RetainedState(source.folder).files(point.batch), head.generation
        is_end = _is_end(store, head, point)
        if not dry_run:
            if is_end:
                mark_return(store.generation(generation).folder, command)
            else:
                generation = _forked(store, head, point, command)
            complete_return(store.generation(generation).folder, outputs)
        former = RetainedState(store.generation(head.generation).folder)
        return Rewound(
            generation=0 if dry_run and not is_end else generation,
            before=head.generation,
            origin=point.generation,
            batch=point.batch,
            begun=time_text(int(entry.about["batchTimestampMs"])),
            batches=later.batches,
            kept_bytes=former.bytes_beyond(files if point.generation == head.generation else ()),
            sinks=outputs,
        )


def _forked(store: Store, head: Head, point: Point, command: str) -> int:
    """Write and publish the new generation; return its number."""
    source = store.generation(point.generation)
    program = program_at(store, point)
    files = store.program(program)
    origin = Origin(point.generation, program.program, point.batch)
    new = store.new_generation(source.versions, uuid4().hex[:12], origin, before=head)
    positions = read_description(files.description, store.root.shown)["positions"]
    fork(source, point.batch, new, positions)
    number = store.new_program(new, files)
    mark_return(new.folder, command)
    store.publish(new.number, number, f"rewind to {point.generation}/{point.batch}")
    return new.number


def program_at(store: Store, point: Point) -> Head:
    """The head under which a micro-batch ran.

    Raises:
        CheckpointError: an earlier release ran several programs, and did not record when.
    """
    heads = [head for head in store.heads() if head.generation == point.generation]
    known = [head for head in heads if head.batch is not None and head.batch <= point.batch]
    if known:
        return known[-1]
    early = [head for head in heads if head.batch is None] or heads[:1]
    if len({head.program for head in early}) > 1:
        raise CheckpointError(
            f"the program of {point.text} is not known: an earlier release started several ones there",
            where=store.root.shown,
            remedy="choose a micro-batch that this release has run",
        )
    return early[-1]


def _is_end(store: Store, head: Head, point: Point) -> bool:
    """Return True if the generation in force ends with the micro-batch, or begins behind it and has not run."""
    progress = progress_of(store.generation(head.generation).folder)
    if progress.planned is not None or progress.committed != point.batch:
        return False
    origin = store.origin(head.generation)
    begins = None if origin is None else (origin.generation, origin.end)
    return point.generation == head.generation or begins == astuple(point)


def _check_entry(store: Store, point: Point, entry: Entry) -> None:
    """Refuse a micro-batch in real-time mode, and one that closed all windows at the end of the input."""
    if TICKS in entry.positions:
        raise CheckpointError(
            f"{point.text} ran in real-time mode, in which rows reach sinks before the micro-batch is committed",
            where=store.root.shown,
            remedy="choose a micro-batch that ran in micro-batch mode",
        )
    description = read_description(store.program(program_at(store, point)).description, store.root.shown)
    names = {name for source in description["sources"] for name in source["names"]}
    ends = {f"{name}_end" for name in names} - names
    if any((read_until(at) or 0) >= 0 for name, at in entry.positions.items() if name in ends):
        raise CheckpointError(
            f"{point.text} has read the end of the input, at which all windows close",
            where=store.root.shown,
            remedy="choose an earlier micro-batch",
        )
