"""Paths in commands and options: local ones, and URLs that fsspec supports (`s3://...`)."""

from __future__ import annotations

from pathlib import Path

#: Standard input, for SQL programs.
STDIN = "-"


def is_remote(path: str | Path) -> bool:
    """Return True if the path is a URL that fsspec supports (`s3://...`)."""
    return "://" in str(path) and not str(path).startswith("file://")


def local_path(path: str | Path) -> Path:
    """The local path that a path or a `file:` URL names."""
    return Path(str(path).removeprefix("file://").removeprefix("file:"))


def quoted(path: str | Path) -> str:
    """The path for errors: in quotes, and absolute if local."""
    if str(path) == STDIN:
        return "standard input"
    return repr(str(path if is_remote(path) else local_path(path).absolute()))
