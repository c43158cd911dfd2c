"""Jars of a session: ADD JAR, REMOVE JAR, and USING JAR of functions. They are named in plans, and not loaded here."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files.code_folders import check_file


class Jars:
    """The added jars, by their absolute paths."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def add(self, path: str) -> None:
        """Add a jar.

        Raises:
            ProgramError: there is no such file.
        """
        self._paths[existing(path)] = None

    def remove(self, path: str) -> None:
        """Remove a jar; nothing if it was not added."""
        self._paths.pop(resolved(path), None)

    def paths(self) -> list[str]:
        return list(self._paths)


def resolved(path: str) -> str:
    """The absolute path of a local jar; a URL as it is."""
    local = path.removeprefix("file://") if path.startswith("file:///") else path
    return path if "://" in local else str(Path(local).resolve())


def existing(path: str) -> str:
    """The absolute path of a jar.

    Raises:
        ProgramError: a local file that does not exist or may not be read, or no jar.
    """
    full = resolved(path)
    if not full.endswith(".jar"):
        raise ProgramError(f"{path!r} is no jar", remedy="name a file that ends with .jar")
    if "://" not in full:
        check_file(full)
        if not Path(full).is_file():
            raise ProgramError(
                f"jar {full!r} not found", remedy="correct the path; it is relative to the current folder"
            )
    return full
