"""Folders from which code may come: programs and functions in Python, jars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from compiled_plan.plans.errors import ProgramError


@dataclass(frozen=True, slots=True)
class CodeFolders:
    """The allowed folders, and the remedy for code elsewhere."""

    folders: tuple[Path, ...]
    remedy: str

    def hold(self, place: Path) -> bool:
        """Return True for a file or folder in one of them."""
        return any(place.is_relative_to(folder) for folder in self.folders)


#: None: any folder.
_ALLOWED: ContextVar[CodeFolders | None] = ContextVar("_ALLOWED", default=None)


@contextmanager
def imported_from(folders: Sequence[Path], *, remedy: str = "ask the operator to allow its folder") -> Iterator[None]:
    """Restrict code to these folders within the block; any other is refused unread."""
    before = _ALLOWED.set(CodeFolders(tuple(folder.resolve() for folder in folders), remedy))
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def code_folders() -> CodeFolders | None:
    """The restriction in force; None if there is none."""
    return _ALLOWED.get()


def check_file(file: str | Path) -> None:
    """Raise ProgramError for a file outside the folders of `imported_from`, whether it exists or not."""
    allowed = code_folders()
    if allowed is not None and not allowed.hold(Path(file).resolve()):
        raise ProgramError(
            f"{str(file)!r} is in none of the folders that code may be imported from", remedy=allowed.remedy
        )
