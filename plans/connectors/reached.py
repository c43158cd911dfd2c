"""Things outside of a table's rows that an option reaches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Reach(Enum):
    """Kinds of what an option reaches."""

    #: A file or folder, local or of a store.
    FILE = auto()
    #: A class that is loaded, a command or statement that is run, files that a server may fetch.
    CODE = auto()
    #: Something that is not known to be harmless.
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Reached:
    """A thing that an option reaches."""

    kind: Reach
    option: str
    value: str  # the file, the class, or the value
    message: str = ""  # what is wrong with it; empty for a file
    remedy: str = ""
    name: str = ""  # of the parameter or setting inside of the option's value
