"""A git repository at two points: a commit to compare with, and the working tree."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from compiled_plan.plans.errors import ProgramError

HEAD = "HEAD"
#: Statuses of `git diff --name-status` for a file that exists in the working tree only, and for one that does not.
_ADDED, _DELETED = "A", "D"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs, by its path from the root; the old path is empty for a new file, the new for a deleted."""

    old: str
    new: str


@dataclass(frozen=True)
class Repository:
    """A working tree without ignored files, and the commit or tree that it is compared with."""

    root: Path
    base: str
    is_tracked_only: bool = False

    @classmethod
    def at(cls, folder: Path, base: str, *, is_tracked_only: bool = False) -> Self:
        """Open the repository of a folder.

        Args:
            folder: any folder in the repository.
            base: a commit or branch; the comparison is with its last common commit with HEAD. In a repository without a
                commit, that of HEAD is with an empty tree.
            is_tracked_only: leave out files that git does not track.

        Raises:
            ProgramError: git is not installed, the folder is in no repository, or it has no such commit.
        """
        top = _git(folder, "rev-parse", "--show-toplevel", remedy="run it in a clone of the repository")
        root = Path(top.removesuffix("\n")).resolve()
        if base == HEAD and not _git(root, "rev-list", "--max-count=1", "--all"):
            return cls(root, _git(root, "hash-object", "-t", "tree", os.devnull).strip(), is_tracked_only)
        shallow = "fetch the commit; a shallow clone lacks it: `git fetch --unshallow`, or `fetch-depth: 0` of checkout"
        commit = _git(root, "rev-parse", "--verify", "--end-of-options", f"{base}^{{commit}}", remedy=shallow).strip()
        return cls(root, _git(root, "merge-base", commit, HEAD, remedy=shallow).strip(), is_tracked_only)

    @cached_property
    def changed(self) -> tuple[ChangedFile, ...]:
        """All changed files; a renamed file is one change."""
        fields = iter(
            _split(self._run("diff", "--name-status", "--find-renames", "--no-relative", "-z", self.base, "--"))
        )
        files = []
        for status in fields:
            path = next(fields)
            new = next(fields) if status[0] in "RC" else path
            is_there = status != _DELETED and self.holds(new)
            files.append(ChangedFile("" if status == _ADDED else path, new if is_there else ""))
        return (*files, *(ChangedFile("", path) for path in self._untracked))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files of the working tree."""
        tracked = _split(self._run("ls-files", "--cached", "-z"))
        return tuple(filter(self.holds, dict.fromkeys((*tracked, *self._untracked))))

    def holds(self, path: str) -> bool:
        """Return True for a file of the working tree.

        A link to a file elsewhere is none: a change could name any file of this machine, and an error quotes its lines.
        """
        # Unlike `resolve`, this accepts links in a circle.
        file = Path(os.path.realpath(self.root / path))
        return file.is_file() and file.is_relative_to(self.root) and ".git" not in file.relative_to(self.root).parts

    @cached_property
    def old_files(self) -> frozenset[str]:
        """The files of the commit."""
        return frozenset(_split(self._run("ls-tree", "-r", "--name-only", "-z", self.base)))

    def text(self, path: str) -> str:
        """The text of a file in the working tree; empty if there is none."""
        return (self.root / path).read_text(encoding="utf-8", errors="replace") if self.holds(path) else ""

    def old_text(self, path: str) -> str:
        """The text of a file in the commit; empty if there is none."""
        return self._run("cat-file", "blob", f"{self.base}:{path}") if path in self.old_files else ""

    @cached_property
    def _untracked(self) -> tuple[str, ...]:
        if self.is_tracked_only:
            return ()
        return tuple(_split(self._run("ls-files", "--others", "--exclude-standard", "-z")))

    def _run(self, *arguments: str) -> str:
        return _git(self.root, *arguments)


def _git(folder: Path, *arguments: str, remedy: str = "") -> str:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise ProgramError("git is not installed", remedy="install git") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise ProgramError(f"git {arguments[0]}: {message}", where=str(folder), remedy=remedy)
    return done.stdout.decode(errors="replace")


def _split(text: str) -> list[str]:
    return [part for part in text.split("\0") if part]
