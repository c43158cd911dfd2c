"""Paths as commands and options name them: local ones, and URLs that fsspec serves (`s3://...`)."""

from __future__ import annotations

from pathlib import Path

#: Stands for standard input, from which programs in SQL are read.
STDIN = "-"


def is_remote(path: str | Path) -> bool:
    """Whether the path is a URL that fsspec serves (`s3://...`)."""
    return "://" in str(path) and not str(path).startswith("file://")


def local_path(path: str | Path) -> Path:
    """The local path that a path or a `file:` URL names."""
    return Path(str(path).removeprefix("file://").removeprefix("file:"))


def quoted(path: str | Path) -> str:
    """The path as errors show it: in quotes, and absolute if it is local."""
    if str(path) == STDIN:
        return "standard input"
    return repr(str(path if is_remote(path) else local_path(path).absolute()))
