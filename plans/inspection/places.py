"""Local paths that a start needs: source files, sink folders, the checkpoint. Checked without a JVM."""

from __future__ import annotations

import os
from pathlib import Path

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, DataError, ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.folders import folder_to_read
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.hadoop_paths import hadoop_path


def check_places(plan: CompiledPlan, checkpoint: str = "") -> None:
    """Check the local paths of a start; remote ones are checked by the start itself.

    Raises:
        DataError: a source is missing, or a sink is not writable.
        CheckpointError: the checkpoint is a file, not writable, or damaged.
    """
    if checkpoint:
        _check_checkpoint(checkpoint)
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            _check_source(node.scan_table_source.table)
        elif isinstance(node, Sink):
            _check_sink(node.dynamic_table_sink.table)


def missing(path: str, table: str) -> DataError:
    """Error for a missing source."""
    return DataError(
        f"the file or folder {quoted(path)} does not exist",
        where=f"table {table}",
        remedy="correct the table's option 'path', or put the file there",
    )


def no_folder(path: str, table: str) -> DataError:
    """Error for a sink whose path is a file."""
    return DataError(
        f"{quoted(path)} is a file, and rows are written into a folder",
        where=f"table {table}",
        remedy="correct the table's option 'path'",
    )


def _check_source(table: CatalogTable) -> None:
    path, place = _place(table)
    if place is not None and not place.exists():
        raise missing(path, ".".join(table.path))


def _check_sink(table: CatalogTable) -> None:
    path, place = _place(table)
    name = ".".join(table.path)
    if place is None:
        return
    if place.exists() and not place.is_dir():
        raise no_folder(path, name)
    wrong = _unwritable(place)
    if wrong:
        remedy = "correct the table's option 'path', or the permissions"
        raise DataError(f"rows cannot be written into {quoted(path)}: {wrong}", where=f"table {name}", remedy=remedy)


def _check_checkpoint(text: str) -> None:
    place = local_place(text)
    if place is None:
        return
    wrong: CompiledPlanError | None = None
    if place.exists() and not place.is_dir():
        wrong = CheckpointError(
            "the checkpoint is a file", where=quoted(place), remedy="name a folder with --checkpoint"
        )
    elif why := _unwritable(place):
        remedy = "name another folder with --checkpoint, or correct the permissions"
        wrong = CheckpointError(f"the checkpoint cannot be written: {why}", where=quoted(place), remedy=remedy)
    if wrong is not None:
        raise wrong
    reader = CheckpointReader(folder_to_read(str(place)))
    reader.head()
    reader.check_heads()


def local_place(text: str) -> Path | None:
    """The local path that a text names; None for another file system, and for a text that is no path."""
    try:
        path = hadoop_path(text)
    except ProgramError:
        return None
    return Path(path.path).absolute() if path.is_local else None


def _place(table: CatalogTable) -> tuple[str, Path | None]:
    options = table.options
    path = options.get("path", "")
    return path, local_place(path) if options.get("connector") == "filesystem" and path else None


def _unwritable(place: Path) -> str:
    """Reason that a folder cannot be created or written; empty if it can."""
    nearest = next(folder for folder in (place, *place.parents) if folder.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file"
    return "" if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} may not be written"
