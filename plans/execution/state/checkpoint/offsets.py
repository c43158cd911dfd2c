"""Spark's offset log, extended for programs that drop sources and take them back.

Spark writes only the sources of the current program into each entry, and would read a source that comes back from its
beginning. So the position of a dropped source is stored with it, and put back into the log before a program that reads
it again starts. An entry is a file: its version, a line of settings, then a line `name:offset` for each source
(Spark 4.3, offset log of version 2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.digests import rewrite
from compiled_plan.plans.inspection.checkpoints import COMMITS, OFFSETS, RESTORE, json_in

_VERSION, _NOWHERE = "v2", "-"


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of the offset log.

    Args:
        committed: the number of the last committed entry; None before the first.
        planned: the number of the entry of an uncommitted batch that will run again.
    """

    committed: int | None
    planned: int | None

    @property
    def last(self) -> int | None:
        return self.committed if self.planned is None else self.planned


def progress_of(generation: Folder) -> Progress:
    """The progress of a generation."""
    entries, commits = (max(generation.numbers(log), default=None) for log in (OFFSETS, COMMITS))
    if entries is None or entries == commits:
        return Progress(entries, None)
    return Progress(entries - 1 if entries else None, entries)


def watermark_of(generation: Folder) -> int:
    """The watermark, in ms, with which the batch after the last committed one begins; 0 before the first."""
    committed = progress_of(generation).committed
    return 0 if committed is None else _next_watermark(generation, committed)


def _next_watermark(generation: Folder, batch: int) -> int:
    lines = (generation.read_text(f"{COMMITS}/{batch}") or "").splitlines()
    return _number(generation, f"{COMMITS}/{batch}", lines, "nextBatchWatermarkMs")


def begun_at(generation: Folder, batch: int) -> int:
    """The time at which a micro-batch was first begun, in ms since 1970."""
    head, _ = _read(generation, batch)
    return _number(generation, f"{OFFSETS}/{batch}", head, "batchTimestampMs")


def continue_from(generation: Folder, wanted: Mapping[str, str | None], watermark: int) -> None:
    """Rewrite the only batch of a generation as if it had read the sources up to some positions.

    Args:
        generation: its folder, with a committed batch 0.
        wanted: positions by name; None is the beginning.
        watermark: the watermark with which the next batch begins, in ms.
    """
    entry, commit = f"{OFFSETS}/0", f"{COMMITS}/0"
    head, _ = _read(generation, 0)
    about = _json(generation, entry, head) | {"batchWatermarkMs": watermark}
    lines = [_VERSION, _dumped(about)]
    # Sources at their beginning are listed, too: an entry that lacks a source of its program counts as damaged.
    lines += [f"{name}:{_NOWHERE if offset is None else offset}" for name, offset in wanted.items()]
    generation.write_text(entry, "\n".join(lines))
    done = (generation.read_text(commit) or "").splitlines()
    about = _json(generation, commit, done) | {"nextBatchWatermarkMs": watermark}
    generation.write_text(commit, "\n".join([done[0], _dumped(about)]))


def _dumped(value: Mapping[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _json(generation: Folder, name: str, lines: Sequence[str]) -> dict[str, Any]:
    """The second line of an entry."""
    value = json_in("".join(lines[1:2]), dict)
    if value is None:
        raise _unreadable(generation, name)
    return value


def _number(generation: Folder, name: str, lines: Sequence[str], key: str) -> int:
    """A number in the second line of an entry."""
    value = _json(generation, name, lines).get(key)
    if type(value) is not int:
        raise _unreadable(generation, name)
    return value


def positions(generation: Folder) -> dict[str, str | None]:
    """Position of each source after the committed batches, by name; None if only a planned batch reads it."""
    progress = progress_of(generation)
    offsets: dict[str, str | None] = {}
    if progress.planned is not None:
        offsets |= dict.fromkeys(_read(generation, progress.planned)[1])
    if progress.committed is not None:
        offsets |= _read(generation, progress.committed)[1]
    return offsets


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the log: a micro-batch that is committed or was begun.

    Args:
        number: number of the micro-batch.
        watermark: the watermark with which it begins, in ms.
        positions: the position up to which it reads each source, by name.
        about: the line of settings.
    """

    number: int
    watermark: int
    positions: Mapping[str, str]
    about: Mapping[str, Any]


def entries(generation: Folder) -> tuple[Entry, ...]:
    """All entries that the log retains, oldest first."""
    numbers = generation.numbers(OFFSETS)
    return tuple(entry_of(generation, number) for number in numbers)


def entry_of(generation: Folder, number: int) -> Entry:
    """The entry of a micro-batch that was begun.

    Raises:
        CheckpointError: there is none.
    """
    head, positions = _read(generation, number)
    about = _json(generation, f"{OFFSETS}/{number}", head)
    watermark = _number(generation, f"{OFFSETS}/{number}", head, "batchWatermarkMs")
    return Entry(number, watermark, positions, about)


def sources_in(generation: Folder, number: int) -> frozenset[str]:
    """The names of all sources in an entry, including those without a position yet."""
    lines = (generation.read_text(f"{OFFSETS}/{number}") or "").splitlines()
    return frozenset(line.partition(":")[0] for line in lines[2:] if line)


def plan_batch(generation: Folder, entry: Entry) -> None:
    """Make Spark run this micro-batch when a query starts on the generation."""
    about = {**entry.about, "batchWatermarkMs": entry.watermark}
    lines = [_VERSION, _dumped(about), *(f"{name}:{offset}" for name, offset in entry.positions.items())]
    generation.write_text(f"{OFFSETS}/{entry.number}", "\n".join(lines))


def restore(generation: Folder, wanted: Mapping[str, str | None]) -> None:
    """Make Spark resume returning sources at these positions; None is the beginning.

    Spark starts from the union of its last two entries.
    """
    entries = generation.numbers(OFFSETS)
    for entry in entries[-2:]:
        head, known = _read(generation, entry)
        right = {name: offset for name, offset in {**known, **wanted}.items() if offset is not None}
        if right != known:
            lines = [*head, *(f"{name}:{offset}" for name, offset in right.items())]
            rewrite(generation, f"{OFFSETS}/{entry}", "\n".join(lines))


def _read(generation: Folder, entry: int) -> tuple[list[str], dict[str, str]]:
    """The lines before the positions, and the known positions."""
    lines = (generation.read_text(f"{OFFSETS}/{entry}") or "").splitlines()
    if len(lines) < 2 or lines[0] != _VERSION:
        raise _unreadable(generation, f"{OFFSETS}/{entry}")
    offsets = dict(line.partition(":")[::2] for line in lines[2:] if line)
    if not all(map(_is_whole, offsets.values())):
        raise _unreadable(generation, f"{OFFSETS}/{entry}")
    return lines[:2], {name: offset for name, offset in offsets.items() if offset != _NOWHERE}


def check_logs(generation: Folder) -> None:
    """Refuse logs that no run produces: Spark would repeat micro-batches whose state is written, or start over.

    Raises:
        CheckpointError: entries are missing or unreadable.
    """
    # In this order: a concurrent run begins a micro-batch before it commits it.
    done, begun = generation.last(COMMITS), generation.last(OFFSETS)
    if done not in (begun, begun - 1):
        last = "no micro-batch" if begun < 0 else f"micro-batch {begun}"
        committed = "none" if done < 0 else f"micro-batch {done}"
        raise CheckpointError(
            f"the logs of the checkpoint disagree: `{OFFSETS}` ends with {last}, `{COMMITS}` with {committed}; "
            "files of one of them were lost",
            where=generation.shown,
            remedy=RESTORE,
        )
    for entry in generation.numbers(OFFSETS)[-2:]:
        if entry >= done:
            entry_of(generation, entry)
    if done >= 0:
        _next_watermark(generation, done)


def _is_whole(offset: str) -> bool:
    """Return False for an offset known to be truncated; most sources write JSON."""
    return bool(offset) and (offset[0] not in "{[" or json_in(offset, object) is not None)


def _unreadable(generation: Folder, name: str) -> CheckpointError:
    return CheckpointError(
        f"{name} of the checkpoint is not the log of offsets by source name that this release writes",
        where=generation.shown,
        remedy=RESTORE,
    )
