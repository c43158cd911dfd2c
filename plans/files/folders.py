"""Readable folders: local, or remote at URLs that fsspec supports (`s3://...`)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.files import remote
from compiled_plan.plans.files.faults import reading
from compiled_plan.plans.files.paths import is_remote, local_path, quoted

#: A number in a name, as the product and Spark write it. `str.isdigit` also accepts "²", which `int` refuses.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def is_number(name: str) -> bool:
    """Return True for a numbered file or folder: decimal digits without leading zeros, in the range of a long."""
    return _NUMBER.fullmatch(name) is not None


class ReadableFolder(ABC):
    """A folder. Names are paths relative to it, with slashes."""

    #: The folder's full URI.
    uri: str

    @property
    def shown(self) -> str:
        """The folder for errors: its absolute path, or its URI if remote, in quotes."""
        return quoted(self.uri)

    @abstractmethod
    def inside(self, name: str) -> Self:
        """A subfolder, which may not exist."""

    @abstractmethod
    def holds(self, name: str = "") -> bool:
        """Return True if the folder has an entry of that name; without a name, if the folder exists."""

    @abstractmethod
    def names(self, name: str = "") -> tuple[str, ...]:
        """The sorted names of a subfolder's entries; empty if it does not exist."""

    def numbers(self, name: str = "") -> list[int]:
        """The numbers among the names in a subfolder, ascending."""
        return sorted(int(entry) for entry in self.names(name) if is_number(entry))

    def last(self, name: str) -> int:
        """The highest number among the names in a subfolder; -1 if there is none."""
        return max(self.numbers(name), default=-1)

    @abstractmethod
    def read_bytes(self, name: str) -> bytes | None:
        """The bytes of a file; None if it does not exist. Raises CheckpointError if a local one is unreadable."""

    def read_text(self, name: str) -> str | None:
        """The text of a file; None if it does not exist. Raises CheckpointError if a local one is unreadable."""
        data = self.read_bytes(name)
        return None if data is None else data.decode()

    def is_file(self) -> bool:
        """Return True if the path is a file; never for a remote one, as object stores have no folders."""
        return False

    def child(self, name: str) -> str:
        """The full URI of an entry."""
        return f"{self.uri}/{name}"


class LocalReads(ReadableFolder):
    """A folder in the local file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.uri = f"file:{path}"

    def inside(self, name: str) -> Self:
        return type(self)(self.path / name)

    def is_file(self) -> bool:
        return self.path.is_file()

    def holds(self, name: str = "") -> bool:
        return (self.path / name).exists()

    def names(self, name: str = "") -> tuple[str, ...]:
        path = self.path / name
        with reading(path, "checkpoint", CheckpointError):
            try:
                return tuple(sorted(entry.name for entry in path.iterdir()))
            except (FileNotFoundError, NotADirectoryError):
                return ()

    def read_bytes(self, name: str) -> bytes | None:
        path = self.path / name
        with reading(path, "checkpoint", CheckpointError):
            try:
                return path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    def read_text(self, name: str) -> str | None:
        with reading(self.path / name, "checkpoint", CheckpointError):
            return super().read_text(name)


class RemoteReads(ReadableFolder):
    """A folder accessed through fsspec; methods raise PlanError if the driver is missing or the store fails."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")

    def inside(self, name: str) -> Self:
        return type(self)(self.child(name))

    def holds(self, name: str = "") -> bool:
        return remote.exists(self._at(name))

    def names(self, name: str = "") -> tuple[str, ...]:
        return remote.names(self._at(name))

    def read_bytes(self, name: str) -> bytes | None:
        try:
            return remote.read(self._at(name), "file")
        except FileNotFoundError:
            return None

    def _at(self, name: str) -> str:
        return self.child(name) if name else self.uri


def folder_to_read(path: str) -> ReadableFolder:
    """The folder at a path or at a URL that fsspec supports; it may not exist."""
    if is_remote(path):
        return RemoteReads(path)
    return LocalReads(local_path(path).absolute())
