"""Spark's own log of how far each source was read, where a program leaves sources out or takes them back.

Spark writes into each entry the sources of the program at hand alone, and would read one that comes back from its
beginning. So what a program leaves out is kept with it, and put back into the log before a program that reads it again
starts. An entry is a file: its version, a line of settings, then a line `name:offset` for each source (Spark 4.3,
offset log of version 2).

A source of files has a log of its own: numbered entries, some of which hold all before them, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.files.folders import is_number
from compiled_plan.plans.inspection.checkpoints import COMMITS, OFFSETS, RESTORE, json_in

_VERSION, _NOWHERE = "v2", "-"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the sources were read.

    Args:
        committed: the number of the last entry whose batch is done; None before the first.
        planned: the number of the entry of a batch that was begun and is to run again.
    """

    committed: int | None
    planned: int | None

    @property
    def last(self) -> int | None:
        """The number of the last entry."""
        return self.committed if self.planned is None else self.planned


def progress_of(generation: Folder) -> Progress:
    """How far a generation is."""
    entries, commits = (max(generation.numbers(log), default=None) for log in (OFFSETS, COMMITS))
    if entries is None or entries == commits:
        return Progress(entries, None)
    return Progress(entries - 1 if entries else None, entries)


def watermark_of(generation: Folder) -> int:
    """The watermark, in ms, that the batch after the last one that is done begins with; 0 before the first."""
    committed = progress_of(generation).committed
    return 0 if committed is None else _next_watermark(generation, committed)


def _next_watermark(generation: Folder, batch: int) -> int:
    lines = (generation.read_text(f"{COMMITS}/{batch}") or "").splitlines()
    return _number(generation, f"{COMMITS}/{batch}", lines, "nextBatchWatermarkMs")


def begun_at(generation: Folder, batch: int) -> int:
    """When a micro-batch was begun for the first time, in ms since 1970."""
    head, _ = _read(generation, batch)
    return _number(generation, f"{OFFSETS}/{batch}", head, "batchTimestampMs")


def continue_from(generation: Folder, wanted: Mapping[str, str | None], watermark: int) -> None:
    """Have the one batch that a generation has be one that read the sources up to these positions.

    Args:
        generation: its folder, with a batch 0 that is done.
        wanted: positions by name; None is the beginning.
        watermark: with which the next batch begins, in ms.
    """
    entry, commit = f"{OFFSETS}/0", f"{COMMITS}/0"
    head, _ = _read(generation, 0)
    about = _json(generation, entry, head) | {"batchWatermarkMs": watermark}
    lines = [_VERSION, _dumped(about)]
    lines += [f"{name}:{offset}" for name, offset in wanted.items() if offset is not None]
    generation.write_text(entry, "\n".join(lines))
    done = (generation.read_text(commit) or "").splitlines()
    about = _json(generation, commit, done) | {"nextBatchWatermarkMs": watermark}
    generation.write_text(commit, "\n".join([done[0], _dumped(about)]))


def _dumped(value: Mapping[str, Any]) -> str:
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
    """By name how far each source was read by the batches that are done; None for what only a planned one reads."""
    progress = progress_of(generation)
    offsets: dict[str, str | None] = {}
    if progress.planned is not None:
        offsets |= dict.fromkeys(_read(generation, progress.planned)[1])
    if progress.committed is not None:
        offsets |= _read(generation, progress.committed)[1]
    return offsets


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the log: a micro-batch that is done or was begun.

    Args:
        number: of the micro-batch.
        watermark: with which it begins, in ms.
        positions: by name how far it reads each source.
        about: the line of settings.
    """

    number: int
    watermark: int
    positions: Mapping[str, str]
    about: Mapping[str, Any]


def entries(generation: Folder) -> tuple[Entry, ...]:
    """All entries that the log still has, oldest first."""
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
    """The names of all sources that an entry tells of, also of those that have no position yet."""
    lines = (generation.read_text(f"{OFFSETS}/{number}") or "").splitlines()
    return frozenset(line.partition(":")[0] for line in lines[2:] if line)


def plan_batch(generation: Folder, entry: Entry) -> None:
    """Have Spark run this micro-batch when a query starts on the generation."""
    about = {**entry.about, "batchWatermarkMs": entry.watermark}
    lines = [_VERSION, _dumped(about), *(f"{name}:{offset}" for name, offset in entry.positions.items())]
    generation.write_text(f"{OFFSETS}/{entry.number}", "\n".join(lines))


def restore(generation: Folder, wanted: Mapping[str, str | None]) -> None:
    """Have Spark go on at these positions with sources that come back; None is the beginning.

    Spark starts from its last two entries together.
    """
    entries = generation.numbers(OFFSETS)
    for entry in entries[-2:]:
        head, known = _read(generation, entry)
        right = {name: offset for name, offset in {**known, **wanted}.items() if offset is not None}
        if right != known:
            lines = [*head, *(f"{name}:{offset}" for name, offset in right.items())]
            generation.write_text(f"{OFFSETS}/{entry}", "\n".join(lines))


def _read(generation: Folder, entry: int) -> tuple[list[str], dict[str, str]]:
    """The lines in front of the positions, and the positions that are known."""
    lines = (generation.read_text(f"{OFFSETS}/{entry}") or "").splitlines()
    if len(lines) < 2 or lines[0] != _VERSION:
        raise _unreadable(generation, f"{OFFSETS}/{entry}")
    offsets = dict(line.partition(":")[::2] for line in lines[2:] if line)
    if not all(map(_is_whole, offsets.values())):
        raise _unreadable(generation, f"{OFFSETS}/{entry}")
    return lines[:2], {name: offset for name, offset in offsets.items() if offset != _NOWHERE}


def check_logs(generation: Folder) -> None:
    """Refuse logs that no run leaves: Spark would run micro-batches again whose state is written, or begin anew.

    Raises:
        CheckpointError: entries are missing, or cannot be read.
    """
    # In this order: a run that goes on meanwhile is begun with a micro-batch before it is done with it.
    done, begun = generation.last(COMMITS), generation.last(OFFSETS)
    if done not in (begun, begun - 1):
        last = "no micro-batch" if begun < 0 else f"micro-batch {begun}"
        upto = "none" if done < 0 else f"micro-batch {done}"
        raise CheckpointError(
            f"the logs of the checkpoint do not fit each other: `{OFFSETS}` says that {last} was the last to begin, "
            f"`{COMMITS}` that {upto} was the last that is done; files of one of them were lost",
            where=generation.shown,
            remedy=RESTORE,
        )
    for entry in generation.numbers(OFFSETS)[-2:]:
        if entry >= done:
            entry_of(generation, entry)
    if done >= 0:
        _next_watermark(generation, done)


def _is_whole(offset: str) -> bool:
    """False for an offset that is cut off, as far as can be told: most sources write JSON."""
    return bool(offset) and (offset[0] not in "{[" or json_in(offset, object) is not None)


def _unreadable(generation: Folder, name: str) -> CheckpointError:
    return CheckpointError(
        f"{name} of the checkpoint is not the log of offsets by source name that this release writes",
        where=generation.shown,
        remedy=RESTORE,
    )


#: The first line of an entry in the log of a source of files; the end of the name of one that holds all before it.
FILES_VERSION, COMPACT = "v1", ".compact"


def place_of(name: str) -> str:
    """The folder of a source's log inside a generation."""
    return f"sources/{name}"


def entries_of(generation: Folder, name: str) -> dict[int, str]:
    """The names of a log's entries by number; of two with one number the compact one."""
    # Names are sorted: a number comes before the same one with the end.
    names = (entry for entry in generation.names(place_of(name)) if is_number(entry.removesuffix(COMPACT)))
    return {int(entry.removesuffix(COMPACT)): entry for entry in names}
