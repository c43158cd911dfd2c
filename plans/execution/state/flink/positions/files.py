"""Positions of Flink's file source: the files that it has read.

The coordinator stores the splits that it has not handed out, and the paths that it has found if it looks for more
files; a reader stores the splits in its work. Their forms are Flink's: `PendingSplitsCheckpoint` in little endian,
splits as a `DataOutputStream` writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.state.flink.positions.binary import Reader
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError

#: The head of a coordinator's state: versions of the state and of its content, length of the content.
_COORDINATOR = struct.Struct(">iii")
#: The head of the content: magic number, version of the splits, their number, and that of the paths.
_PENDING = struct.Struct("<Iiii")
_MAGIC, _LENGTH = 0xDEADBEEF, struct.Struct("<i")
#: The version of splits.
FILE_SPLITS = 1


@dataclass(frozen=True, slots=True)
class FilesRead:
    """The files of a table that a source has read.

    Args:
        paths: their paths, as Flink writes them; None for all files of the table but `unread`.
        unread: files that the source has found, and not begun.
    """

    paths: frozenset[str] | None
    unread: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        rest = f", {_files(len(self.unread))} not read" if self.unread else ""
        return f"{'all files' if self.paths is None else _files(len(self.paths))} read{rest}"


#: The position of a source that has read its table.
ALL_READ = FilesRead(None)


def _files(count: int) -> str:
    return f"{count} {'file' if count == 1 else 'files'}"


@dataclass(frozen=True, slots=True)
class _Split:
    """A range of a file, and the number of bytes or records that were read of it."""

    path: str
    length: int
    size: int
    begun: bool


def files_read(coordinator: bytes | None, splits: Iterable[bytes], *, unbounded: bool) -> FilesRead:
    """The files that a source has read.

    Args:
        coordinator: the state of its coordinator.
        splits: the splits of its readers.
        unbounded: True if the table looks for more files.

    Raises:
        PositionError: the state cannot be read, or a file is read by half.
    """
    if coordinator is None:
        raise PositionError("the savepoint has no position of it")
    try:
        pending, paths = _pending(coordinator)
        ranges = [_split(data) for data in (*pending, *splits)]
    except (struct.error, UnicodeDecodeError, IndexError):
        raise PositionError("the state of the file source cannot be read") from None
    unread = frozenset(_whole(ranges))
    # A source that does not look for files stores none of those that it has read.
    return FilesRead(frozenset(paths) - unread if paths or unbounded else None, unread)


def _pending(coordinator: bytes) -> tuple[Sequence[bytes], Sequence[str]]:
    """The splits that were not handed out, and the paths that were found."""
    version, _, length = _COORDINATOR.unpack_from(coordinator)
    content = coordinator[_COORDINATOR.size : _COORDINATOR.size + length]
    magic, splits_version, splits, paths = _PENDING.unpack_from(content)
    if (version, magic, splits_version) != (1, _MAGIC, FILE_SPLITS):
        raise PositionError(f"the state of the file source has a version that is not known: {version}")
    parts = _parts(content, splits + paths)
    return parts[:splits], [path.decode() for path in parts[splits:]]


def _parts(content: bytes, count: int) -> list[bytes]:
    parts, at = [], _PENDING.size
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(content, at)
        at += _LENGTH.size
        if length < 0 or at + length > len(content):
            raise IndexError
        parts.append(content[at : at + length])
        at += length
    return parts


def _whole(ranges: Sequence[_Split]) -> Iterator[str]:
    """The files of ranges that cover them.

    Raises:
        PositionError: a part of a file was read.
    """
    lengths: dict[str, int] = {}
    for split in ranges:
        lengths[split.path] = lengths.get(split.path, 0) + split.length
    for split in ranges:
        if split.begun or lengths[split.path] != split.size:
            raise PositionError(
                f"Flink has read a part of the file {split.path}",
                "stop the job when it has read its files to their ends; or remove the files and rows that it has read, "
                "and give --start TABLE=earliest",
            )
        yield split.path


def _split(data: bytes) -> _Split:
    reader = Reader(data)
    reader.utf()  # the split's id
    path = _path(reader)
    reader.take("q")  # where it begins
    length = reader.take("q")
    reader.take("q")  # the file's time
    size = reader.take("q")
    for _ in range(reader.take("i")):
        reader.utf()  # hosts
    return _Split(path, length, size, bool(reader.take("?")))


def _path(reader: Reader) -> str:
    """A path as Flink prints it."""
    if not reader.take("?"):
        raise IndexError
    scheme, user, host = reader.text(), reader.text(), reader.text()
    port, path = reader.take("i"), reader.text()
    reader.text()  # query
    reader.text()  # fragment
    authority = f"{f'{user}@' if user else ''}{host or ''}{f':{port}' if port >= 0 else ''}"
    return f"{f'{scheme}:' if scheme else ''}{f'//{authority}' if authority else ''}{path}"
