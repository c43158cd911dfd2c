"""The folder of a lake, local or at a URL that fsspec supports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.files.folders import ReadableFolder, folder_to_read
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    import fsspec
else:
    fsspec = deferred("fsspec")


def unreadable(catalog: str, place: str, reason: str, remedy: str) -> ProgramError:
    """The error for a lake that cannot be read."""
    return ProgramError(masked_text(f"catalog {catalog!r} at {place} cannot be read: {reason}"), remedy=remedy)


class LakeFolder:
    """The folder of a catalog; paths are relative to it.

    Methods raise ProgramError if the store cannot be read.

    Args:
        catalog: the name of the catalog, for errors.
        place: the path or URL.
    """

    def __init__(self, catalog: str, place: str) -> None:
        self._catalog, self._place = catalog, place

    @cached_property
    def _folder(self) -> ReadableFolder:
        return folder_to_read(self._place)

    def names(self, path: str = "") -> tuple[str, ...]:
        """The names in a folder, without hidden ones; empty if it does not exist."""
        try:
            return tuple(name for name in self._folder.names(path) if not name.startswith("."))
        except CompiledPlanError as fault:
            raise self._unreadable(fault) from None

    def folders(self, path: str = "") -> list[str]:
        """The names in a folder that may be folders, which an object store does not tell from files."""
        return [name for name in self.names(path) if not name.startswith("_")]

    def holds(self, path: str) -> bool:
        """Return True if the folder has an entry at a path."""
        try:
            return self._folder.holds(path)
        except CompiledPlanError as fault:
            raise self._unreadable(fault) from None

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        try:
            data = self._folder.read_bytes(path)
        except CompiledPlanError as fault:
            raise self._unreadable(fault) from None
        if data is None:
            raise ProgramError(
                f"catalog {self._catalog!r}: {self._folder.child(path)} has gone while it was read",
                remedy="compile again",
            )
        return data

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """Open a file whose parts are read."""
        with fsspec.open(self._folder.child(path), "rb") as file:
            yield file

    def malformed(self, path: str, fault: Exception) -> ProgramError:
        """The error for a file whose content is of another form."""
        remedy = "read the table with Spark: if it is sound there, declare it with its columns"
        reason = f"{type(fault).__name__}: {fault}"
        return unreadable(self._catalog, self._folder.child(path), reason, remedy)

    def _unreadable(self, fault: CompiledPlanError) -> ProgramError:
        remedy = fault.remedy or "check 'warehouse' of the catalog"
        return unreadable(self._catalog, self._place, fault.message, remedy)
