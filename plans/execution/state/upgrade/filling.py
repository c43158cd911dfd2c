"""Operators filled from history before they start, and the micro-batches that replay it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, Progress
from compiled_plan.plans.execution.state.upgrade.history import ReadFile, by_batch, in_order
from compiled_plan.plans.inspection.diff.model import OperatorEdit


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch of the replay.

    Args:
        files: the files that it reads, by source name.
        watermark: the watermark with which it begins, in ms; None for the one reached by the batches before.
        positions: the positions up to which it reads sources without files, by source name.
    """

    files: Mapping[str, tuple[ReadFile, ...]]
    watermark: int | None = None
    positions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clock:
    """The watermarks with which the micro-batches begin.

    Args:
        event_time: True if they begin with watermarks at all.
        log: all micro-batches of the checkpoint's query; empty if some are unknown.
        last: the watermark of its last one, an upper bound; None if it had none.
    """

    event_time: bool = False
    log: tuple[Entry, ...] = ()
    last: int | None = None


#: By source name, its files, and True if they are those of a separate history table.
Pasts = Mapping[str, tuple[tuple[ReadFile, ...], bool]]


def batches_of(
    pasts: Pasts, clock: Clock, limit: int | None, positions: Mapping[str, str] | None = None
) -> tuple[Batch, ...]:
    """The micro-batches of a replay.

    As few as possible if nothing waits for watermarks. Otherwise those that the query ran, because they determine which
    rows are late: with the watermarks of its log, or in the order of a single source's files.

    Args:
        pasts: the files to read.
        clock: the watermarks of the query.
        limit: maximum number of files per source and micro-batch.
        positions: the last positions of sources without files, by source name.
    """
    positions = positions or {}
    if clock.event_time and clock.log:
        return tuple(_batches_of_log(pasts, clock.log, positions))
    batches = list(_in_read_order(pasts) if clock.event_time else _merged_batches(pasts, limit))
    if positions:
        batches[:1] = [replace(batches[0] if batches else Batch({}), positions=positions)]
    return (*batches, Batch({}, clock.last)) if clock.event_time else tuple(batches)


def _merged_batches(pasts: Pasts, limit: int | None) -> Iterator[Batch]:
    groups = {name: in_order(files, limit) for name, (files, _) in pasts.items()}
    for at in range(max(map(len, groups.values()), default=0)):
        yield Batch({name: files[at] for name, files in groups.items() if at < len(files)})


def _batches_of_log(pasts: Pasts, log: Sequence[Entry], last: Mapping[str, str]) -> Iterator[Batch]:
    from_history = {name: files for name, (files, is_given) in pasts.items() if is_given}
    read = {name: by_batch(files) for name, (files, is_given) in pasts.items() if not is_given}
    reached = dict.fromkeys(read, -1)
    before: int | None = None
    positions: dict[str, str] = {}
    for entry in log:
        files = dict(from_history)
        from_history = {}
        for name, batches in read.items():
            until = _offset(entry, name, reached[name])
            new_files = tuple(file for at in range(reached[name] + 1, until + 1) for file in batches.get(at, ()))
            reached[name] = until
            if new_files:
                files[name] = new_files
        moved = {name: at for name, at in entry.positions.items() if name in last and at != positions.get(name)}
        positions |= moved
        if files or moved or entry.watermark != before:
            yield Batch(files, entry.watermark, moved)
        before = entry.watermark


def _offset(entry: Entry, name: str, otherwise: int) -> int:
    position = entry.positions.get(name)
    return otherwise if position is None else int(json.loads(position)["logOffset"])


def _in_read_order(pasts: Pasts) -> Iterator[Batch]:
    groups = {
        name: [files] if is_given else list(by_batch(files).values()) for name, (files, is_given) in pasts.items()
    }
    for at in range(max(map(len, groups.values()), default=0)):
        yield Batch({name: files[at] for name, files in groups.items() if at < len(files)})


@dataclass(frozen=True, slots=True)
class Past:
    """The history of a source, or of a table that replaces it.

    Args:
        table: the table, for messages.
        name: the name under which Spark stores its position.
        files: in the order in which they were read.
        history: the table to read instead; None for the table itself.
        until: the last position of a source that reads no files but its table again; empty for one of files.
    """

    table: str
    name: str
    files: tuple[ReadFile, ...]
    history: TableSpec | None = None
    until: str = ""


@dataclass(frozen=True, slots=True)
class Filling:
    """Operators to fill.

    Args:
        edits: the operators.
        prepared: the part of the new plan from the sources to these operators; its sinks discard rows.
        pasts: the history of each source of that program; new sources have none.
        names: the names of the sources, by source.
        batches: the micro-batches that read the history.
        clock: the watermarks with which they begin.
        progress: the progress of the checkpoint.
        sinks: the sinks of the new plan whose results are recorded.
    """

    edits: tuple[OperatorEdit, ...]
    prepared: PreparedPlan
    pasts: Mapping[int, Past]
    names: Mapping[int, str]
    batches: tuple[Batch, ...]
    clock: Clock
    progress: Progress
    sinks: tuple[int, ...] = ()

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes of the operators in the new plan."""
        return frozenset(edit.new_node for edit in self.edits if edit.new_node is not None)
