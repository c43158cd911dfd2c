"""Spark's logs of the files that sources have read: numbered entries, some of which hold all before them, too."""

from __future__ import annotations

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.files.folders import is_number

#: The first line of an entry; the end of the name of one that holds all before it.
VERSION, COMPACT = "v1", ".compact"


def place_of(name: str) -> str:
    """The folder of a source's log inside a generation."""
    return f"sources/{name}"


def entries_of(generation: Folder, name: str) -> dict[int, str]:
    """The names of a log's entries by number; of two with one number the compact one."""
    # Names are sorted: a number comes before the same one with the end.
    names = (entry for entry in generation.names(place_of(name)) if is_number(entry.removesuffix(COMPACT)))
    return {int(entry.removesuffix(COMPACT)): entry for entry in names}
