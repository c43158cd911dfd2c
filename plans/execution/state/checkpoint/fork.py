"""Forks: the state and the positions of a generation after a micro-batch become the files of a new generation.

On local file systems, files are linked: Spark and the product replace and remove the files of a checkpoint, and modify
none in place. A run may continue the source meanwhile. Files that it adds are not part of the fork; if it removes one
that the fork needs, the fork fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.copying import copy_constant_rows, point_to_values
from compiled_plan.plans.execution.state.checkpoint.digests import seal
from compiled_plan.plans.execution.state.checkpoint.file_logs import COMPACT, SOURCES, place_of, read_until
from compiled_plan.plans.execution.state.checkpoint.offsets import entry_of
from compiled_plan.plans.execution.state.checkpoint.records import RECORDED, record_batch
from compiled_plan.plans.execution.state.checkpoint.retained import STATE, RetainedState, VanishedError
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.files.folders import is_number
from compiled_plan.plans.inspection.checkpoints import (
    BATCHES,
    COMMITS,
    METADATA,
    OFFSETS,
    STATE_ROWS,
    WATERMARKS,
    is_whole,
    json_in,
    recorded,
)

#: Folders of an operator's state beside those of its partitions, whose entries are numbered by micro-batch.
_METADATA, _SCHEMAS = "_metadata/v2", "_stateSchema"
_SCHEMA_PATH = re.compile(rf'"[^"]*(?=/{STATE}/\d+/{_SCHEMAS}/)')
_TRIES = 5


def fork_last(source: Generation, target: Generation, positions: Mapping[str, str | None]) -> int:
    """Fork a generation that a run may continue, after its last micro-batch; see `fork`.

    Returns:
        The number of the micro-batch.
    """
    for attempt in range(_TRIES):
        batch = source.folder.last(COMMITS)
        try:
            fork(source, batch, target, positions)
        except VanishedError:
            if attempt == _TRIES - 1 or source.folder.last(COMMITS) == batch:
                raise
            for name in (OFFSETS, COMMITS, SOURCES, STATE):
                target.folder.remove(name)
        else:
            return batch
    raise AssertionError


def fork(source: Generation, batch: int, target: Generation, positions: Mapping[str, str | None]) -> None:
    """Make a new generation continue another one after a micro-batch.

    Args:
        source: the generation, which does not change.
        batch: a committed micro-batch.
        target: the new generation, which has nothing but its facts.
        positions: positions of sources that the program of that micro-batch does not read, by name.

    Raises:
        VanishedError: the state of that micro-batch is not retained.
        CheckpointError: the watermarks of partitions after it were not recorded.
    """
    old, new = source.folder, target.folder
    documents = {name: _document(old, batch, name) for name in RECORDED}
    if documents[WATERMARKS] is None and old.holds(WATERMARKS) and not old.holds(f"{BATCHES}/{batch}"):
        raise CheckpointError(
            f"the watermarks of partitions after micro-batch {batch} were not recorded: an earlier release ran it, or "
            "the machine lost power",
            where=old.shown,
            remedy="choose a micro-batch that this release has run",
        )
    link_state(old, new, batch)
    known = {name: at for name, at in positions.items() if at is not None} | dict(entry_of(old, batch).positions)
    for name, position in known.items():
        link_source(source, target, name, position)
    copy_constant_rows(old, new)
    seal(new)
    for name, text in documents.items():
        if text is not None:
            new.write_text(name, text)
            record_batch(new, batch, name)


def link_state(old: Folder, new: Folder, batch: int) -> None:
    """Link the state of a query after a micro-batch, and its logs up to that.

    Args:
        old: the checkpoint of the query.
        new: that of another query with the same operators, without positions of sources.
        batch: a committed micro-batch.

    Raises:
        VanishedError: the state of that micro-batch is not retained.
    """
    _link_all(old, new, RetainedState(old).files(batch))
    for operator in old.numbers(STATE):
        own = f"{STATE}/{operator}"
        schemas = (f"{_SCHEMAS}/{store}" for store in old.names(f"{own}/{_SCHEMAS}"))
        for place in (_METADATA, *schemas):
            _link_numbered(old, new, f"{own}/{place}", batch)
        _point_to_schemas(new, f"{own}/{_METADATA}")
    for log in (COMMITS, OFFSETS):
        _link_numbered(old, new, log, batch)
        if not new.holds(f"{log}/{batch}"):
            raise VanishedError(f"{log}/{batch} is missing", where=old.shown, remedy="choose a later micro-batch")
    # Two queries with one id cannot run in one session.
    new.write_text(METADATA, json.dumps({"id": str(uuid4())}))


def _document(generation: Folder, batch: int, name: str) -> str | None:
    """One of the product's files as it was after a micro-batch; None if that is not known."""
    texts = [generation.read_text(recorded(batch, name))]
    if name != STATE_ROWS:
        current = generation.read_text(name)
        texts += [current] if (json_in(current, dict) or {}).get("batch") == batch else []
    return next((text for text in texts if (document := json_in(text, dict)) is not None and is_whole(document)), None)


def _link_all(source: Folder, target: Folder, names: list[str]) -> None:
    for name in names:
        if not source.link(name, target, name):
            raise VanishedError(
                f"{name} was removed meanwhile", where=source.shown, remedy="choose a later micro-batch"
            )


def _link_numbered(old: Folder, new: Folder, place: str, last: int) -> None:
    """Link the files of a folder whose names begin with a number up to the last, with Hadoop's checksums."""
    for name in old.names(place):
        number = name.removeprefix(".").removesuffix(".crc").removesuffix(COMPACT).partition("_")[0]
        if is_number(number) and int(number) <= last:
            old.link(f"{place}/{name}", new, f"{place}/{name}")


def _point_to_schemas(generation: Folder, place: str) -> None:
    """Point the metadata of an operator's state to its schemas in the generation: Spark writes their full paths."""
    for name in filter(is_number, generation.names(place)):
        text = generation.read_text(f"{place}/{name}") or ""
        generation.write_text(f"{place}/{name}", _SCHEMA_PATH.sub(lambda _: f'"{generation.uri}', text))


def link_source(source: Generation, target: Generation, name: str, position: str) -> None:
    """Link the log of a source up to its position: Spark takes the files in further entries for read."""
    last = read_until(position)
    if last is None:
        source.folder.copy(place_of(name), target.folder)
        return
    _link_numbered(source.folder, target.folder, place_of(name), last)
    point_to_values(source, target, name)
