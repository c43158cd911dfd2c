"""Watermarks of source partitions, and the watermark of the query that follows from them.

As in Flink, the watermark of a source is the minimum over its partitions that are not idle, and that of the query the
minimum over its sources that have partitions that are not idle. If all are idle it is the maximum. Watermarks never
decrease.

Spark writes the watermark with which a micro-batch begins into its own log, so a batch that runs again has the same
watermark, whatever the clock says. The partitions are stored beside that log, as they were before and after the last
micro-batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.offsets import entry_of, progress_of
from compiled_plan.plans.inspection.checkpoints import TICKS, WATERMARKS, json_in, sealed


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition.

    Args:
        mark: the watermark of its rows, in ms; None before there is one.
        seen: the time of its last rows, or of its discovery, by the clock in ms.
    """

    mark: int | None
    seen: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Idleness of partitions.

    Args:
        timeout: ms without rows after which a partition is idle; 0 for never.
        until: the time up to which all available rows are known to have been read, by the clock in ms.
        since: start of the count: a partition is not idle before it could be read.
    """

    timeout: int
    until: int
    since: int = 0

    def has(self, partition: Partition) -> bool:
        """Return True if the partition is idle."""
        return self.timeout > 0 and self.until - max(partition.seen, self.since) >= self.timeout


@dataclass(frozen=True, slots=True)
class SourceMarks:
    """A source.

    Args:
        partitions: its partitions, by name.
        mark: its watermark, in ms; None before there is one.
    """

    partitions: Mapping[str, Partition] = field(default_factory=dict)
    mark: int | None = None

    def with_partitions(self, names: Iterable[str], now: int) -> SourceMarks:
        """Use the partitions that exist: new ones start without a watermark, removed ones no longer count."""
        return replace(self, partitions={name: self.partitions.get(name, Partition(None, now)) for name in names})

    def seen(self, now: int) -> SourceMarks:
        """Restart the silence of all partitions."""
        return replace(
            self, partitions={name: replace(partition, seen=now) for name, partition in self.partitions.items()}
        )

    def after(self, reached: Mapping[str, int | None], now: int) -> SourceMarks:
        """The source after a micro-batch.

        Args:
            reached: the watermarks of the partitions that produced rows.
            now: the clock, in ms.
        """
        partitions = dict(self.partitions)
        for name, mark in reached.items():
            before = partitions[name].mark if name in partitions else None
            partitions[name] = Partition(_max_of(before, mark), now)
        return replace(self, partitions=partitions)

    def idle(self, silence: Silence) -> bool:
        """Return True if all partitions are idle; without any, if a partition could be idle."""
        return all(map(silence.has, self.partitions.values())) if self.partitions else silence.timeout > 0

    def moved(self, silence: Silence) -> SourceMarks:
        """With the current watermark of its partitions."""
        marks = [(partition.mark, silence.has(partition)) for partition in self.partitions.values()]
        return replace(self, mark=_max_of(self.mark, _combined(marks)))


def _combined(marks: Sequence[tuple[int | None, bool]]) -> int | None:
    """The combined watermark of several inputs, each with its idleness; None if it is unknown.

    The minimum over the inputs that are not idle, or the maximum if all are: Flink's `CombinedWatermarkStatus`.
    """
    active = [mark for mark, idle in marks if not idle]
    if not active:
        return max((mark for mark, _ in marks if mark is not None), default=None)
    known = [mark for mark in active if mark is not None]
    return min(known) if len(known) == len(active) else None


def _max_of(left: int | None, right: int | None) -> int | None:
    return max((mark for mark in (left, right) if mark is not None), default=None)


def least(sources: Mapping[str, SourceMarks], silences: Mapping[str, Silence]) -> int | None:
    """The watermark of the query; None if a source has none yet, so that it stays unchanged."""
    return _combined([(source.mark, source.idle(silences[name])) for name, source in sources.items()])


@dataclass(frozen=True, slots=True)
class Marks:
    """The watermarks that a checkpoint stores.

    Args:
        batch: number of the last micro-batch; -1 for none.
        before: the sources before it, by name.
        after: the sources after it, by name.
    """

    batch: int = -1
    before: Mapping[str, SourceMarks] = field(default_factory=dict)
    after: Mapping[str, SourceMarks] = field(default_factory=dict)

    def entering(self, batch: int, now: int) -> Mapping[str, SourceMarks]:
        """The sources before a micro-batch, which may be a repetition of the last one.

        If some micro-batches did not store their watermarks, the older ones still hold, but the silence of partitions
        is unknown.
        """
        if batch == self.batch:
            return self.before
        if batch == self.batch + 1:
            return self.after
        return {name: source.seen(now) for name, source in self.after.items()} if batch > self.batch else {}


def read_marks(generation: Folder) -> Marks:
    """Read the watermarks of a generation; empty if none are stored."""
    try:
        of_ticks = marks_of_ticks(generation)
        if of_ticks is not None:
            return of_ticks
        stored = json_in(generation.read_text(WATERMARKS), dict) or {}
        return Marks(int(stored.get("batch", -1)), *(_read(stored.get(part, {})) for part in ("before", "after")))
    except (ValueError, TypeError, AttributeError, KeyError):
        return Marks()


def marks_of_ticks(generation: Folder) -> Marks | None:
    """Watermarks after the last committed batch of real-time mode, from the position of the tick source.

    None if that batch ran in micro-batch mode or without event time.
    """
    committed = progress_of(generation).committed
    position = None if committed is None else entry_of(generation, committed).positions.get(TICKS)
    ticks: object = None if position is None else json.loads(position)
    if committed is None or not isinstance(ticks, dict) or "sources" not in ticks:
        return None
    # No source is behind the query: its watermark must not decrease.
    sources = {
        name: replace(source, mark=_max_of(source.mark, ticks["mark"]))
        for name, source in _read(ticks["sources"]).items()
    }
    return Marks(committed, {}, sources)


def position_of(marks: Marks) -> str:
    """Watermarks of micro-batches as a position of the tick source; see the kernel's `WatermarkPosition`."""
    return json.dumps({"mark": None, "sources": _written(marks.after)})


def _read(sources: Mapping[str, Any]) -> dict[str, SourceMarks]:
    return {
        name: SourceMarks(
            {part: Partition(*partition) for part, partition in source["partitions"].items()}, source["mark"]
        )
        for name, source in sources.items()
    }


def write_marks(generation: Folder, marks: Marks) -> None:
    document = {"batch": marks.batch, "before": _written(marks.before), "after": _written(marks.after)}
    generation.write_text(WATERMARKS, json.dumps(sealed(document)))


def _written(sources: Mapping[str, SourceMarks]) -> dict[str, object]:
    return {
        name: {"mark": source.mark, "partitions": {part: [p.mark, p.seen] for part, p in source.partitions.items()}}
        for name, source in sources.items()
    }


def carry_marks(old: Folder, new: Folder) -> None:
    """Copy the watermarks into a generation whose micro-batch 0 has read the rows of the old generation's last one."""
    marks = read_marks(old)
    if marks.batch >= 0:
        write_marks(new, Marks(0, {}, marks.after))
