"""Resources besides a table's rows that an option reaches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Reach(Enum):
    """Kinds of resources that an option reaches."""

    #: A file or folder, local or remote.
    FILE = auto()
    #: A class to load, a command or statement to run, files that a server may fetch.
    CODE = auto()
    #: A setting not known to be harmless.
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Reached:
    """A resource that an option reaches."""

    kind: Reach
    option: str
    value: str  # the file, the class, or the value
    message: str = ""  # the fault; empty for a file
    remedy: str = ""
    name: str = ""  # of the parameter or setting within the option's value
