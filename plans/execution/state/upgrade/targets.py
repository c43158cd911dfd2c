"""Targets of rewinds: a micro-batch, a time, or an offset, resolved to a retained micro-batch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, entry_of
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.inspection.checkpoints import GENERATIONS, Origin, begin_of
from compiled_plan.plans.inspection.diff.description import Description

_BATCH = re.compile(r"(?:(?P<generation>\d{1,9})/)?(?P<batch>\d{1,18})")
_OFFSET = re.compile(r"(?P<table>[^=]+):(?P<partition>[^=:]+)=(?P<offset>\d{1,18})")
_FORMS = (
    "a micro-batch (57), one of an earlier generation (1/57), a time (2026-05-01T17:00:00Z), "
    "or an offset (orders:0=1500)"
)


@dataclass(frozen=True, slots=True)
class Target:
    """The form of a target.

    Args:
        text: as the user wrote it.
        batch: the micro-batch; None for a time or an offset.
        generation: its generation; None for the one in force.
        time: the time, in ms since 1970; None for the other forms.
        offset: table, partition and offset; None for the other forms.
    """

    text: str
    batch: int | None = None
    generation: int | None = None
    time: int | None = None
    offset: tuple[str, str, int] | None = None

    @classmethod
    def parse(cls, text: str) -> Target:
        """Parse an option's value; a time without a zone is in UTC.

        Raises:
            CheckpointError: it has none of the forms.
        """
        if match := _BATCH.fullmatch(text):
            generation = match["generation"]
            return cls(text, int(match["batch"]), None if generation is None else int(generation))
        if match := _OFFSET.fullmatch(text):
            return cls(text, offset=(match["table"], match["partition"], int(match["offset"])))
        try:
            time = datetime.fromisoformat(text)
        except ValueError:
            raise CheckpointError(f"--rewind-to {text} is no target of a rewind", remedy=f"give {_FORMS}") from None
        time = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
        return cls(text, time=int(time.timestamp() * 1000))


@dataclass(frozen=True, slots=True)
class Point:
    """A micro-batch of a generation."""

    generation: int
    batch: int

    @property
    def text(self) -> str:
        return f"micro-batch {self.batch} of generation {self.generation}"


def resolved(store: Store, target: Target, current: int, description: Description) -> Point:
    """The retained micro-batch that a target names.

    Args:
        store: the checkpoint.
        target: the target.
        current: the generation in force.
        description: that of the program in force.

    Raises:
        CheckpointError: it is not retained; names the range. The offset is of a source without offsets.
    """
    generation = current if target.generation is None else target.generation
    lineage = tuple(store.lineage(generation))
    if not lineage:
        numbers = ", ".join(map(str, store.root.numbers(GENERATIONS)))
        raise CheckpointError(
            f"the checkpoint has no generation {generation}", where=store.root.shown, remedy=f"choose one of {numbers}"
        )
    if target.batch is not None:
        retained = _retained(store, generation)
        if target.batch not in retained.batches:
            raise _out_of_range(store, target, generation, retained)
        if target.batch < _first(lineage[0][1]):
            raise CheckpointError(
                f"micro-batch {target.batch} of generation {generation} ran in a shadow run: its output is in no table",
                where=store.root.shown,
                remedy="choose a later one, or one of the generation before",
            )
        return _ran(target.batch, lineage)
    is_later = _is_after(store, target, description)
    for at, (number, origin) in enumerate(lineage):
        retained = _retained(store, number)
        for batch in reversed(retained.batches):
            if batch >= _first(origin) and not is_later(entry_of(retained.generation, batch)):
                return _ran(batch, lineage[at:])
    raise _out_of_range(store, target, number, retained)


def _first(origin: Origin | None) -> int:
    """The first micro-batch to which a generation can return: the output of those in a shadow run is in no table."""
    return 0 if origin is None or origin.last is None else begin_of(origin)


def _ran(batch: int, lineage: Sequence[tuple[int, Origin | None]]) -> Point:
    """The generation that ran a micro-batch: that of a rewind has the logs of earlier ones, and not their state."""
    ran = (number for number, origin in lineage if batch >= begin_of(origin))
    return Point(next(ran, lineage[-1][0]), batch)


def _retained(store: Store, generation: int) -> RetainedState:
    return RetainedState(store.generation(generation).folder)


def _is_after(store: Store, target: Target, description: Description) -> Callable[[Entry], bool]:
    """Return True for a micro-batch after the target."""
    if target.offset is None:
        time = target.time or 0
        return lambda entry: int(entry.about.get("batchTimestampMs", 0)) > time
    table, partition, offset = target.offset
    names = [name for source in description["sources"] if _is_called(source["name"], table) for name in source["names"]]
    if not names:
        known = ", ".join(source["name"] for source in description["sources"])
        raise CheckpointError(
            f"--rewind-to {target.text}: the program reads no table {table}",
            where=store.root.shown,
            remedy=f"its tables: {known}",
        )

    return lambda entry: any(
        _next_offset(store, target, entry.positions.get(name), partition) > offset for name in names
    )


def _is_called(identifier: str, name: str) -> bool:
    return identifier == name or identifier.endswith(f".{name}")


def _next_offset(store: Store, target: Target, position: str | None, partition: str) -> int:
    """The first offset of a partition that a position leaves to be read; 0 before the partition is known."""
    topics: object = {} if position is None else json.loads(position)
    if not isinstance(topics, dict) or not all(isinstance(offsets, Mapping) for offsets in topics.values()):
        raise CheckpointError(
            f"--rewind-to {target.text}: table {(target.offset or ('',))[0]} has no offsets by partition",
            where=store.root.shown,
            remedy="only a topic of Kafka has them: give a micro-batch or a time",
        )
    topic, _, number = partition.rpartition("/")
    return max((int(at[number]) for name, at in topics.items() if number in at and topic in ("", name)), default=0)


def _out_of_range(store: Store, target: Target, generation: int, retained: RetainedState) -> CheckpointError:
    first, batches = retained.oldest(), retained.batches
    where = f"generation {generation} retains micro-batches {first} to {batches[-1]}" if first is not None else ""
    times = "" if first is None else f", begun {_begun(retained, first)} to {_begun(retained, batches[-1])}"
    return CheckpointError(
        f"cannot rewind to {target.text}: {where or f'generation {generation} retains no micro-batch'}{times}",
        where=store.root.shown,
        remedy="choose one of these; `--retain-batches N` or `--retain-for 7d` retains more from then on",
    )


def _begun(retained: RetainedState, batch: int) -> str:
    millis = int(entry_of(retained.generation, batch).about.get("batchTimestampMs", 0))
    return time_text(millis)


def time_text(millis: int) -> str:
    """A time in ms since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="seconds")
