"""How far the partitions of sources are in event time, and what the watermark of the query is by that.

As in Flink: the watermark of a source is the least of its partitions, without those that are idle; that of the query
the least of its sources, without those whose partitions are all idle. Where all are idle it is the largest. None goes
back.

Spark writes the watermark with which a micro-batch begins into its own log, so it is the same when the batch runs
again, whatever the clock said. The partitions are kept beside that, as they were before the last micro-batch and after
it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compiled_plan.plans.execution.checkpoint.offsets import entry_of, progress_of
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import TICKS, WATERMARKS, json_in


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition.

    Args:
        mark: the watermark that its rows have made, in ms; None before there is one.
        seen: when rows of it came last, or it was found, by the clock in ms.
    """

    mark: int | None
    seen: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Which partitions are idle.

    Args:
        timeout: after how many ms without rows; 0 for never.
        until: up to when it is known that no rows were there which have not been read, by the clock in ms.
        since: from when on it counts: a partition is not idle before it could be read.
    """

    timeout: int
    until: int
    since: int = 0

    def has(self, partition: Partition) -> bool:
        """Whether a partition is idle."""
        return self.timeout > 0 and self.until - max(partition.seen, self.since) >= self.timeout


@dataclass(frozen=True, slots=True)
class SourceMarks:
    """A source.

    Args:
        partitions: by name.
        mark: its watermark, in ms; None before there is one.
    """

    partitions: Mapping[str, Partition] = field(default_factory=dict)
    mark: int | None = None

    def with_partitions(self, names: Iterable[str], now: int) -> SourceMarks:
        """With the partitions that there are: new ones have given nothing yet, those that are gone count no more."""
        return replace(self, partitions={name: self.partitions.get(name, Partition(None, now)) for name in names})

    def seen(self, now: int) -> SourceMarks:
        """With silences that begin anew."""
        return replace(
            self, partitions={name: replace(partition, seen=now) for name, partition in self.partitions.items()}
        )

    def after(self, reached: Mapping[str, int | None], now: int) -> SourceMarks:
        """After a micro-batch.

        Args:
            reached: the partitions that gave rows, with the watermarks of these.
            now: the clock, in ms.
        """
        partitions = dict(self.partitions)
        for name, mark in reached.items():
            before = partitions[name].mark if name in partitions else None
            partitions[name] = Partition(_most(before, mark), now)
        return replace(self, partitions=partitions)

    def idle(self, silence: Silence) -> bool:
        """Whether all partitions are; where there are none, whether one could be."""
        return all(map(silence.has, self.partitions.values())) if self.partitions else silence.timeout > 0

    def moved(self, silence: Silence) -> SourceMarks:
        """With the watermark that its partitions have by now."""
        marks = [(partition.mark, silence.has(partition)) for partition in self.partitions.values()]
        return replace(self, mark=_most(self.mark, _combined(marks)))


def _combined(marks: Sequence[tuple[int | None, bool]]) -> int | None:
    """The watermark of several, each with whether it is idle; None where it is not known.

    The least of those that are not idle, and the largest of all where all are: Flink's `CombinedWatermarkStatus`.
    """
    active = [mark for mark, idle in marks if not idle]
    if not active:
        return max((mark for mark, _ in marks if mark is not None), default=None)
    known = [mark for mark in active if mark is not None]
    return min(known) if len(known) == len(active) else None


def _most(left: int | None, right: int | None) -> int | None:
    return max((mark for mark in (left, right) if mark is not None), default=None)


def least(sources: Mapping[str, SourceMarks], silences: Mapping[str, Silence]) -> int | None:
    """The watermark of the query; None where it stays as it is: a source has none yet."""
    return _combined([(source.mark, source.idle(silences[name])) for name, source in sources.items()])


@dataclass(frozen=True, slots=True)
class Marks:
    """What a checkpoint keeps of them.

    Args:
        batch: number of the last micro-batch; -1 for none.
        before: the sources before it, by name.
        after: the same after it.
    """

    batch: int = -1
    before: Mapping[str, SourceMarks] = field(default_factory=dict)
    after: Mapping[str, SourceMarks] = field(default_factory=dict)

    def entering(self, batch: int, now: int) -> Mapping[str, SourceMarks]:
        """The sources before a micro-batch, which may be the last one once more.

        Where nobody kept them for some micro-batches, what they had reached is true still, and how long partitions have
        been silent is not known.
        """
        if batch == self.batch:
            return self.before
        if batch == self.batch + 1:
            return self.after
        return {name: source.seen(now) for name, source in self.after.items()} if batch > self.batch else {}


def read_marks(generation: Folder) -> Marks:
    """What a generation keeps; nothing where nobody wrote it down."""
    try:
        of_ticks = marks_of_ticks(generation)
        if of_ticks is not None:
            return of_ticks
        stored = json_in(generation.read_text(WATERMARKS), dict) or {}
        return Marks(int(stored.get("batch", -1)), *(_read(stored.get(part, {})) for part in ("before", "after")))
    except (ValueError, TypeError, AttributeError, KeyError):
        return Marks()


def marks_of_ticks(generation: Folder) -> Marks | None:
    """What the last batch that is done had reached in real-time mode, as the position of ticks tells.

    None where that batch ran in the other mode, or had no event time.
    """
    committed = progress_of(generation).committed
    position = None if committed is None else entry_of(generation, committed).positions.get(TICKS)
    ticks: Any = None if position is None else json.loads(position)
    if committed is None or not isinstance(ticks, dict) or "sources" not in ticks:
        return None
    # No source is behind what the query has reached: nothing goes back.
    sources = {
        name: replace(source, mark=_most(source.mark, ticks["mark"]))
        for name, source in _read(ticks["sources"]).items()
    }
    return Marks(committed, {}, sources)


def position_of(marks: Marks) -> str:
    """What was reached in micro-batches in the form of a position of ticks; see the kernel's `WatermarkPosition`."""
    return json.dumps({"mark": None, "sources": _written(marks.after)})


def _read(sources: Mapping[str, Any]) -> dict[str, SourceMarks]:
    return {
        name: SourceMarks(
            {part: Partition(*partition) for part, partition in source["partitions"].items()}, source["mark"]
        )
        for name, source in sources.items()
    }


def write_marks(generation: Folder, marks: Marks) -> None:
    """Keep it."""
    document = {"batch": marks.batch, "before": _written(marks.before), "after": _written(marks.after)}
    generation.write_text(WATERMARKS, json.dumps(document))


def _written(sources: Mapping[str, SourceMarks]) -> dict[str, Any]:
    return {
        name: {"mark": source.mark, "partitions": {part: [p.mark, p.seen] for part, p in source.partitions.items()}}
        for name, source in sources.items()
    }


def carry_marks(old: Folder, new: Folder) -> None:
    """Take them into a generation whose micro-batch 0 has read what the old generation's last one had."""
    marks = read_marks(old)
    if marks.batch >= 0:
        write_marks(new, Marks(0, {}, marks.after))
