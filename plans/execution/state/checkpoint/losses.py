"""Losses in the current generation that Spark would ignore, reading sources again or starting over.

A missing or damaged file of state makes Spark's first micro-batch fail, and it commits nothing. This module checks the
rest: the logs of micro-batches, and the logs of the files that each source has read. Files with recorded digests are
compared with these.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.digests import Digests, FileReader, read_digests
from compiled_plan.plans.execution.state.checkpoint.file_logs import (
    COMPACT,
    FILES_VERSION,
    entries_of,
    place_of,
    read_until,
)
from compiled_plan.plans.execution.state.checkpoint.marks import read_marks
from compiled_plan.plans.execution.state.checkpoint.offsets import check_logs, entry_of, progress_of, sources_in
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.inspection.checkpoints import (
    COMMITS,
    DIGESTS,
    OFFSETS,
    RESTORE,
    WATERMARKS,
    WRITTEN,
    Head,
    altered,
    damaged,
    is_whole,
    json_in,
)
from compiled_plan.plans.inspection.diff.description import read_description


def check_generation(store: Store, head: Head) -> None:
    """Refuse a generation with losses that a start would not notice.

    Args:
        store: the checkpoint.
        head: the head that names the generation.

    Raises:
        CheckpointError: something is missing, damaged, or from an older backup than the rest.
    """
    folder = store.generation(head.generation).folder
    for name in (WRITTEN, WATERMARKS):
        _check_document(folder, name)
    check_logs(folder)
    digests = read_digests(folder)
    reader = FileReader(folder, digests)
    if digests is not None:
        _check_steps(folder, digests)
        reader.check()
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
        last_entry = read_until(position)
        if last_entry is not None:
            _check_files_read(reader, name, last_entry)


def _check_document(folder: Folder, name: str) -> None:
    text = folder.read_text(name)
    document = json_in(text, dict)
    if text is not None and (document is None or not is_whole(document)):
        raise altered(folder, name)


def _check_steps(folder: Folder, digests: Digests) -> None:
    """Refuse logs that are neither those of the record nor one entry ahead of it."""
    ahead = 0
    for log in (OFFSETS, COMMITS):
        prefix = f"{log}/"
        recorded = max((int(name.removeprefix(prefix)) for name in digests if name.startswith(prefix)), default=-1)
        last = folder.last(log)
        ahead += last - recorded
        if last < recorded or ahead > 1:
            raise _older(folder, f"{DIGESTS} ends with {log}/{recorded}, `{log}` with {last}")


def _sources_by_program(store: Store, head: Head) -> Iterator[frozenset[str]]:
    """The source names of each program that has run on a generation, newest first."""
    for former in reversed(store.heads()):
        if former.generation == head.generation:
            description = read_description(store.program(former).description, store.root.shown)
            yield frozenset(name for source in description["sources"] for name in source["names"])


def _check_files_read(reader: FileReader, name: str, last: int) -> None:
    """Refuse a log of files that is not complete up to an entry, from its beginning or from a compact entry."""
    generation, place = reader.generation, place_of(name)
    entries = entries_of(generation, name)
    for number in range(last, -1, -1):
        entry = entries.get(number)
        if entry is None:
            raise damaged(generation, f"{place}/{number}")
        version, *files = reader.text(f"{place}/{entry}").splitlines() or [""]
        # Spark writes no entry without files.
        if version != FILES_VERSION or not files or any(json_in(file, dict) is None for file in files):
            raise damaged(generation, f"{place}/{entry}")
        if entry.endswith(COMPACT):
            return


def _older(folder: Folder, lost: str) -> CheckpointError:
    return CheckpointError(
        f"a part of the checkpoint is missing or older than the rest: {lost}",
        where=folder.shown,
        remedy=RESTORE,
    )
