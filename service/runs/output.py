"""What a run printed, in files of limited length that are found by offset.

A file is named by the offset of its first byte in all that the run printed. The run writes to the last one, opened to
append. When that is long, its text is copied to a file in front of it, and it is cut: the process needs to know nothing
of it. What is printed between the last copy and the cut, some microseconds, is lost; what a run says of itself is in
its progress file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from compiled_plan.plans.files.folders import is_number

#: The file that is written to. Its first byte follows the last one of the others.
CURRENT = "current"
#: When a file is closed, and how many closed ones stay.
LENGTH, KEPT = 8 * 2**20, 4
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of what a run printed.

    Args:
        text: the text; bytes that are no UTF-8 are replaced.
        end: the offset behind its last byte, where to read on.
        size: the offset behind all that was printed so far.
        first: the offset of the first byte that is still there.
    """

    text: str
    offset: int
    end: int
    size: int
    first: int


def closed(folder: Path) -> list[tuple[int, Path]]:
    """The files that are written no more, with their offsets, in order."""
    files = folder.iterdir() if folder.is_dir() else ()
    return sorted((int(file.name), file) for file in files if is_number(file.name))


def _start(files: list[tuple[int, Path]]) -> int:
    return files[-1][0] + files[-1][1].stat().st_size if files else 0


def rotate(folder: Path, length: int = LENGTH, retained: int = KEPT) -> bool:
    """Close the file that is written to, if it is long, and remove the oldest.

    Args:
        length: in bytes, from which on it is long.
        kept: how many closed files stay, at least one.

    Returns:
        Whether it was.
    """
    current = folder / CURRENT
    if not current.exists() or current.stat().st_size < length:
        return False
    files = closed(folder)
    start = _start(files)
    aside = folder / f".{start}"
    with current.open("r+b") as source, aside.open("wb") as target:
        while block := source.read(_BLOCK):
            target.write(block)
        target.flush()
        os.fsync(target.fileno())
        # What came meanwhile, until nothing does.
        while block := source.read(_BLOCK):
            target.write(block)
        target.flush()
        aside.rename(folder / str(start))
        source.truncate(0)
    for _, path in files[: max(0, len(files) + 1 - max(1, retained))]:
        path.unlink(missing_ok=True)
    return True


def read(folder: Path, *, offset: int | None = None, tail: int | None = None, most: int = 1 << 20) -> Stretch:
    """Read what was printed.

    Args:
        offset: where to begin, in bytes; what is no longer there is passed over.
        tail: instead, how many lines of the end.
        most: how many bytes at most.
    """
    files = [(start, path) for start, path in closed(folder) if path.exists()]
    current = folder / CURRENT
    begin = _start(files)
    size = begin + (current.stat().st_size if current.exists() else 0)
    first = files[0][0] if files else 0
    at = size - most if offset is None else offset
    at = min(max(at, first), size)
    text = b""
    for start, path in [*files, (begin, current)]:
        if len(text) >= most or not path.exists():
            continue
        place = at + len(text) - start
        with path.open("rb") as file:
            if place >= 0:
                file.seek(place)
                text += file.read(most - len(text))
    if offset is None and tail is not None:
        lines = text.splitlines(keepends=True)
        text_tail = b"".join(lines[max(0, len(lines) - tail) :]) if tail > 0 else b""
        at, text = at + len(text) - len(text_tail), text_tail
    return Stretch(text.decode("utf-8", "replace"), at, at + len(text), size, first)
