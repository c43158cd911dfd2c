"""Spark's own log of how far each source was read, where a program leaves sources out or takes them back.

Spark writes into each entry the sources of the program at hand alone, and would read one that comes back from its
beginning. So what a program leaves out is kept with it, and put back into the log before a program that reads it again
starts. An entry is a file: its version, a line of settings, then a line `name:offset` for each source (Spark 4.3,
offset log of version 2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder

_OFFSETS, _COMMITS, _VERSION, _NOWHERE = "offsets", "commits", "v2", "-"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the sources were read.

    Args:
        committed: the number of the last entry whose batch is done; None before the first.
        planned: the number of the entry of a batch that was begun and is to run again.
    """

    committed: int | None
    planned: int | None


def progress_of(generation: Folder) -> Progress:
    """How far a generation is."""
    entries, commits = (
        max((int(name) for name in generation.names(log) if name.isdigit()), default=None)
        for log in (_OFFSETS, _COMMITS)
    )
    if entries is None or entries == commits:
        return Progress(entries, None)
    return Progress(entries - 1 if entries else None, entries)


def watermark_of(generation: Folder) -> int:
    """The watermark, in ms, that the batch after the last one that is done begins with; 0 before the first."""
    committed = progress_of(generation).committed
    if committed is None:
        return 0
    lines = (generation.read_text(f"{_COMMITS}/{committed}") or "").splitlines()
    return int(_json(generation, f"{_COMMITS}/{committed}", lines)["nextBatchWatermarkMs"])


def begun_at(generation: Folder, batch: int) -> int:
    """When a micro-batch was begun for the first time, in ms since 1970."""
    head, _ = _read(generation, batch)
    return int(_json(generation, f"{_OFFSETS}/{batch}", head)["batchTimestampMs"])


def continue_from(generation: Folder, wanted: Mapping[str, str | None], watermark: int) -> None:
    """Have the one batch that a generation has be one that read the sources up to these positions.

    Args:
        generation: its folder, with a batch 0 that is done.
        wanted: positions by name; None is the beginning.
        watermark: with which the next batch begins, in ms.
    """
    entry, commit = f"{_OFFSETS}/0", f"{_COMMITS}/0"
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
    try:
        found = json.loads(lines[1])
    except (IndexError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise _unreadable(generation, name)
    return found


def positions(generation: Folder) -> dict[str, str | None]:
    """By name how far each source was read by the batches that are done; None for what only a planned one reads."""
    progress = progress_of(generation)
    found: dict[str, str | None] = {}
    if progress.planned is not None:
        found |= dict.fromkeys(_read(generation, progress.planned)[1])
    if progress.committed is not None:
        found |= _read(generation, progress.committed)[1]
    return found


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
    numbers = sorted(int(name) for name in generation.names(_OFFSETS) if name.isdigit())
    return tuple(entry_of(generation, number) for number in numbers)


def entry_of(generation: Folder, number: int) -> Entry:
    """The entry of a micro-batch that was begun.

    Raises:
        CheckpointError: there is none.
    """
    head, positions = _read(generation, number)
    about = _json(generation, f"{_OFFSETS}/{number}", head)
    return Entry(number, int(about["batchWatermarkMs"]), positions, about)


def plan_batch(generation: Folder, entry: Entry) -> None:
    """Have Spark run this micro-batch when a query starts on the generation."""
    about = {**entry.about, "batchWatermarkMs": entry.watermark}
    lines = [_VERSION, _dumped(about), *(f"{name}:{offset}" for name, offset in entry.positions.items())]
    generation.write_text(f"{_OFFSETS}/{entry.number}", "\n".join(lines))


def restore(generation: Folder, wanted: Mapping[str, str | None]) -> None:
    """Have Spark go on at these positions with sources that come back; None is the beginning.

    Spark starts from its last two entries together.
    """
    entries = sorted(int(name) for name in generation.names(_OFFSETS) if name.isdigit())
    for entry in entries[-2:]:
        head, known = _read(generation, entry)
        right = {name: offset for name, offset in {**known, **wanted}.items() if offset is not None}
        if right != known:
            lines = [*head, *(f"{name}:{offset}" for name, offset in right.items())]
            generation.write_text(f"{_OFFSETS}/{entry}", "\n".join(lines))


def _read(generation: Folder, entry: int) -> tuple[list[str], dict[str, str]]:
    """The lines in front of the positions, and the positions that are known."""
    lines = (generation.read_text(f"{_OFFSETS}/{entry}") or "").splitlines()
    if len(lines) < 2 or lines[0] != _VERSION:
        raise _unreadable(generation, f"{_OFFSETS}/{entry}")
    found = dict(line.partition(":")[::2] for line in lines[2:] if line)
    return lines[:2], {name: offset for name, offset in found.items() if offset != _NOWHERE}


def _unreadable(generation: Folder, name: str) -> CheckpointError:
    return CheckpointError(
        f"{name} of the checkpoint is not the log of offsets by source name that this release writes",
        where=generation.shown,
        remedy="restore the folder from a copy, or start with an empty checkpoint",
    )
