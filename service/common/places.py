"""Folders that the operator allows for tables, and the paths in them that a run opens.

A path is parsed once, as Hadoop does, and its links are resolved. A run gets the resulting path, never the text that
was checked. Paths that other libraries parse must be written so that all of them agree.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.hadoop_paths import HadoopPath, hadoop_path

#: Letters of Hadoop's patterns of paths.
_PATTERN = re.compile(r"[*?\[\]{}\\]")
#: A part of a pattern that Hadoop matches against names alone: it expands braces with a slash before it resolves `..`.
_MATCHED = re.compile(r"(?:[^\[\]{}\\/]|\[[^\[\]{}\\/]+\]|\{[^\[\]{}\\/]+\})+")
#: An absolute path or URI without letters that a library may decode, expand or split at.
_PLAIN = re.compile(r"(?:[a-z][a-z0-9+.-]*:(?://[\w.\-:@$]*)?)?/[^\x00-\x1f\x7f%#?+&;,:|<>\\*\[\]{}\"'`]*")


class AllowedFields(TypedDict, total=False):
    """The fields of `Allowed`, as a worker gets them."""

    programs: tuple[str, ...]
    data: tuple[str, ...]
    home: str


@dataclass(frozen=True, slots=True)
class Allowed:
    """The resources that the operator allows.

    Args:
        programs: folders of Python functions, and of jars with Java functions.
        data: folders, or their URIs, of tables.
        home: the home folder of the service; tables may be in its `data` only, even if `data` above contains it.
    """

    programs: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    home: str = ""

    def fields(self) -> AllowedFields:
        """The fields, for a worker."""
        return {"programs": self.programs, "data": self.data, "home": self.home}

    def opened(self, text: str, *, pattern: bool = False) -> str | None:
        """The path that a run opens for a text; None if it is in no allowed folder.

        Args:
            text: a path or URI, as a table has it.
            pattern: whether Spark expands it as a pattern.

        Raises:
            ProgramError: it is no path, or a pattern of another form.
        """
        path = hadoop_path(text)
        fixed, names = _parts(path, text) if pattern else (path, "")
        if not path.is_local:
            is_allowed = any(_contains(hadoop_path(folder), fixed) for folder in self.data)
            return f"{fixed}{names}" if is_allowed else None
        place = _absolute(fixed)
        spelled = self._spelled(place, os.path.realpath(place))
        if spelled is None or (pattern and _PATTERN.search(spelled)):
            return None
        return f"{path.scheme and path.scheme + ':'}{spelled.rstrip('/')}{names}" or "/"

    def opened_plainly(self, text: str) -> str | None:
        """The text, if it is the path that any library opens for it; None if that is in no allowed folder.

        Raises:
            ProgramError: libraries may read it as different paths.
        """
        opened = self.opened(text) if _PLAIN.fullmatch(text) else ""
        if opened is not None and (not opened or hadoop_path(text) != hadoop_path(opened)):
            raise ProgramError(
                f"{text!r} is not written in full",
                remedy="write the absolute path, without links, '.' and '..', and with letters, digits and blanks",
            )
        return None if opened is None else text

    def _spelled(self, place: str, real: str) -> str | None:
        """A real path with the operator's name of the allowed folder; None if it is in none."""
        if self.home and is_within(real, home := os.path.realpath(self.home)):
            if not is_within(real, os.path.realpath(data_of(home))):
                return None
        elif self.home and is_within(home, real):
            return None
        for folder in self.data:
            allowed = hadoop_path(folder)
            if allowed.is_local and is_within(real, root := os.path.realpath(named := _absolute(allowed))):
                return os.path.normpath(named + real[len(root) :]) if is_within(place, named) else real
        return None


def data_of(home: str) -> str:
    """The folder for tables in the home folder of a service."""
    return f"{home}/data"


def is_within(place: str, folder: str) -> bool:
    """Return True if an absolute path without `..` is a folder, or below it."""
    return place == folder or place.startswith(f"{folder.rstrip('/')}/")


def _absolute(path: HadoopPath) -> str:
    return os.path.normpath(Path.cwd() / path.path)


def _contains(folder: HadoopPath, path: HadoopPath) -> bool:
    """Return True if a remote path is in a folder; a `..` above the root is in none."""
    same = (folder.scheme, folder.authority) == (path.scheme, path.authority)
    return same and ".." not in path.path.split("/") and is_within(path.path or "/", folder.path or "/")


def _parts(path: HadoopPath, text: str) -> tuple[HadoopPath, str]:
    """A pattern as its folder without letters of patterns, and the rest."""
    letter = _PATTERN.search(path.path)
    if letter is None:
        return path, ""
    at = path.path.rfind("/", 0, letter.start())
    names = path.path[at + 1 :]
    if any(_MATCHED.fullmatch(name) is None for name in names.removesuffix("/").split("/")) or at < 0:
        raise ProgramError(
            f"{text!r} is a pattern that could leave its folder",
            remedy="write a path without backslashes, and with no slash within braces or brackets",
        )
    return HadoopPath(path.scheme, path.authority, path.path[:at] or "/"), f"/{names}"
