"""Operators that are filled from history before they start, and the micro-batches in which that is read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.checkpoint.offsets import Entry, Progress
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.upgrade.history import ReadFile, by_batch, in_order
from compiled_plan.plans.inspection.diff.model import OperatorEdit


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch.

    Args:
        files: by source name the files that it reads.
        watermark: with which it begins, in ms; None for what those before have reached.
    """

    files: Mapping[str, tuple[ReadFile, ...]]
    watermark: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """By which watermarks the micro-batches begin.

    Args:
        event_time: whether they begin by watermarks at all.
        log: the micro-batches that the checkpoint's query ran, all of them; none where they are not all known.
        last: the watermark with which its last one began, which none begins after; None where it had none.
    """

    event_time: bool = False
    log: tuple[Entry, ...] = ()
    last: int | None = None


#: By source name its files, and whether they are those of a table that is given.
Pasts = Mapping[str, tuple[tuple[ReadFile, ...], bool]]


def batches_of(pasts: Pasts, clock: Clock, most: int | None) -> tuple[Batch, ...]:
    """The micro-batches.

    Where nothing waits for watermarks as few as can be. Else those that the query ran, for which rows are late depends
    on them: with the watermarks of its log, or as the files of the one source come.

    Args:
        pasts: what is read.
        clock: see there.
        most: how many files of a source a micro-batch reads at most.
    """
    if not clock.event_time:
        return tuple(_few(pasts, most))
    if clock.log:
        return tuple(_logged(pasts, clock.log))
    return (*_as_read(pasts), Batch({}, clock.last))


def _few(pasts: Pasts, most: int | None) -> Iterator[Batch]:
    groups = {name: in_order(files, most) for name, (files, _) in pasts.items()}
    for at in range(max(map(len, groups.values()), default=0)):
        yield Batch({name: files[at] for name, files in groups.items() if at < len(files)})


def _logged(pasts: Pasts, log: Sequence[Entry]) -> Iterator[Batch]:
    from_history = {name: files for name, (files, is_given) in pasts.items() if is_given}
    read = {name: by_batch(files) for name, (files, is_given) in pasts.items() if not is_given}
    reached = dict.fromkeys(read, -1)
    before: int | None = None
    for entry in log:
        files = dict(from_history)
        from_history = {}
        for name, batches in read.items():
            until = _offset(entry, name, reached[name])
            new_files = tuple(file for at in range(reached[name] + 1, until + 1) for file in batches.get(at, ()))
            reached[name] = until
            if new_files:
                files[name] = new_files
        if files or entry.watermark != before:
            yield Batch(files, entry.watermark)
        before = entry.watermark


def _offset(entry: Entry, name: str, otherwise: int) -> int:
    position = entry.positions.get(name)
    return otherwise if position is None else int(json.loads(position)["logOffset"])


def _as_read(pasts: Pasts) -> Iterator[Batch]:
    groups = {
        name: [files] if is_given else list(by_batch(files).values()) for name, (files, is_given) in pasts.items()
    }
    for at in range(max(map(len, groups.values()), default=0)):
        yield Batch({name: files[at] for name, files in groups.items() if at < len(files)})


@dataclass(frozen=True, slots=True)
class Past:
    """What a source has read, or a table that is given for that.

    Args:
        table: the table, for people.
        name: under which Spark keeps how far it was read.
        files: in the order in which they were read.
        history: the table as it is read instead; None for the table itself.
    """

    table: str
    name: str
    files: tuple[ReadFile, ...]
    history: TableSpec | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """Operators that are filled.

    Args:
        edits: the operators.
        prepared: what of the new plan is above them, and they; its sinks take nothing.
        pasts: by source of that program what is read; a source that is new has nothing to be read.
        names: by source its name.
        batches: the micro-batches in which it is read.
        clock: by which watermark each begins.
        progress: how far the checkpoint was.
    """

    edits: tuple[OperatorEdit, ...]
    prepared: PreparedPlan
    pasts: Mapping[int, Past]
    names: Mapping[int, str]
    batches: tuple[Batch, ...]
    clock: Clock
    progress: Progress

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes of the operators in the new plan."""
        return frozenset(edit.new_node for edit in self.edits if edit.new_node is not None)
