"""The log of files that a source has read: numbered entries, some of which contain all previous ones."""

from __future__ import annotations

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.files.folders import is_number
from compiled_plan.plans.inspection.checkpoints import json_in

#: The folder of all sources' logs.
SOURCES = "sources"
#: The first line of an entry in the log of a file source; the suffix of an entry that contains all previous ones.
FILES_VERSION, COMPACT = "v1", ".compact"


#: The key of the number of the last entry that was read, in the position of a file source.
_LOGGED = "logOffset"


def place_of(name: str) -> str:
    """The folder of a source's log in a generation."""
    return f"{SOURCES}/{name}"


def entries_of(generation: Folder, name: str) -> dict[int, str]:
    """The names of a log's entries by number; the compact one of two with the same number."""
    # Names are sorted: a number precedes the same number with the suffix.
    names = (entry for entry in generation.names(place_of(name)) if is_number(entry.removesuffix(COMPACT)))
    return {int(entry.removesuffix(COMPACT)): entry for entry in names}


def read_until(position: str) -> int | None:
    """The number of the last entry of its log that a file source has read; None for the position of another source."""
    number = (json_in(position, dict) or {}).get(_LOGGED)
    return number if type(number) is int else None
