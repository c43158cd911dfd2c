"""Losses in the current generation that Spark would ignore, reading sources again or starting over.

A missing or damaged file of state makes Spark's first micro-batch fail, and it commits nothing. This module checks the
rest: the logs of micro-batches, and the logs of the files that each source has read.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.marks import read_marks
from compiled_plan.plans.execution.checkpoint.offsets import (
    COMPACT,
    FILES_VERSION,
    check_logs,
    entries_of,
    entry_of,
    place_of,
    progress_of,
    sources_in,
)
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.checkpoint.written import read_written
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import OFFSETS, RESTORE, WATERMARKS, WRITTEN, Head, damaged, json_in
from compiled_plan.plans.inspection.diff.description import read_description

#: Position of a file source: the number of the last entry of its log that was read.
_LOGGED = "logOffset"


def check_generation(store: Store, head: Head) -> None:
    """Refuse a generation with losses that a start would not notice.

    Args:
        store: the checkpoint.
        head: the head that names the generation.

    Raises:
        CheckpointError: something is missing, damaged, or from an older backup than the rest.
    """
    folder = store.generation(head.generation).folder
    check_logs(folder)
    progress, written = progress_of(folder), read_written(folder)
    last = progress.last
    if written.batch > (-1 if last is None else last):
        raise _older(folder, f"{WRITTEN} tells of micro-batch {written.batch}, the logs do not")
    if written.marked and written.batch == progress.committed and read_marks(folder).batch < written.batch:
        raise _older(folder, f"{WATERMARKS} does not tell of micro-batch {written.batch}")
    if last is None:
        return
    read = sources_in(folder, last)
    if not any(names <= read for names in _sources_by_program(store, head)):
        raise damaged(folder, f"{OFFSETS}/{last}")
    for name, position in entry_of(folder, last).positions.items():
        read_until = (json_in(position, dict) or {}).get(_LOGGED)
        if type(read_until) is int:
            _check_files_read(folder, name, read_until)


def _sources_by_program(store: Store, head: Head) -> Iterator[frozenset[str]]:
    """The source names of each program that has run on a generation, newest first."""
    for former in reversed(store.heads()):
        if former.generation == head.generation:
            description = read_description(store.program(former).description, store.root.shown)
            yield frozenset(name for source in description["sources"] for name in source["names"])


def _check_files_read(generation: Folder, name: str, last: int) -> None:
    """Refuse a log of files that is not complete up to an entry, from its beginning or from a compact entry."""
    place, entries = place_of(name), entries_of(generation, name)
    for number in range(last, -1, -1):
        entry = entries.get(number)
        lines = [] if entry is None else (generation.read_text(f"{place}/{entry}") or "").splitlines()
        if entry is None or lines[:1] != [FILES_VERSION] or any(json_in(line, dict) is None for line in lines[1:]):
            raise damaged(generation, f"{place}/{entry or number}")
        if entry.endswith(COMPACT):
            return


def _older(folder: Folder, lost: str) -> CheckpointError:
    return CheckpointError(
        f"a part of the checkpoint is missing or older than the rest: {lost}",
        where=folder.shown,
        remedy=RESTORE,
    )
