"""The output of a run, in segments of limited length by offset.

A segment is named by the offset of its first byte in the whole output. The run appends to the current segment. When
that is long, its content is copied to a closed segment, and it is truncated; the process needs no support for it.
Output between the copy and the truncation, some microseconds, is lost; progress messages have their own file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from compiled_plan.plans.files.folders import is_number

#: The current segment, whose first byte follows the last closed one.
CURRENT = "current"
#: The length in bytes at which a segment is closed, and the number of retained closed segments.
LENGTH, RETAINED = 8 * 2**20, 4
_BLOCK = 1 << 20
#: The length in bytes of the output around a stretch in which a secret may begin or end.
_AROUND = 1 << 14


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the output of a run.

    Args:
        text: the text; invalid UTF-8 is replaced.
        offset: the offset of its first byte.
        end: the offset after its last byte, at which to continue.
        size: the offset after the whole output so far.
        first: the offset of the first retained byte.
    """

    text: str
    offset: int
    end: int
    size: int
    first: int


def closed(folder: Path) -> list[tuple[int, Path]]:
    """The closed segments with their offsets, in order."""
    files = folder.iterdir() if folder.is_dir() else ()
    return sorted((int(file.name), file) for file in files if is_number(file.name))


def _start(files: list[tuple[int, Path]]) -> int:
    return files[-1][0] + files[-1][1].stat().st_size if files else 0


def rotate(folder: Path, length: int = LENGTH, retained: int = RETAINED) -> bool:
    """Close the current segment if it is long, and remove the oldest ones.

    Args:
        folder: the output folder of a run.
        length: the length in bytes at which a segment is closed.
        retained: the number of closed segments to retain, at least one.

    Returns:
        True if the segment was closed.
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
        # Copy output that was written meanwhile.
        while block := source.read(_BLOCK):
            target.write(block)
        target.flush()
        aside.rename(folder / str(start))
        source.truncate(0)
    for _, path in files[: max(0, len(files) + 1 - max(1, retained))]:
        path.unlink(missing_ok=True)
    return True


def read(folder: Path, *, offset: int | None = None, tail: int | None = None, most: int = 1 << 20) -> Stretch:
    """Read output.

    Args:
        folder: the output folder of a run.
        offset: the first byte; removed output is skipped.
        tail: instead, the number of lines from the end.
        most: the maximum number of bytes.
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


def around(folder: Path, stretch: Stretch) -> tuple[str, str, str]:
    """The output before a stretch, all with the output after it, and the output after it."""
    begin, end = max(stretch.first, stretch.offset - _AROUND), min(stretch.size, stretch.end + _AROUND)
    parts = ((begin, stretch.offset), (begin, end), (stretch.end, end))
    before, whole, after = (read(folder, offset=start, most=until - start).text for start, until in parts)
    return before, whole, after
