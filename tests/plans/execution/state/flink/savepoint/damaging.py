"""Damages of a savepoint's files: cut, changed and grown ones, and lengths that nothing has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from shutil import copytree

#: The magic number and the version, which all metadata has.
_HEAD = 8
_LENGTHS = (b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00\x00\xff\xff", b"\x3f\xff\xff\xf0")


def _cut(content: bytes, draw: Random) -> bytes:
    return content[: draw.randrange(len(content))]


def _change(content: bytes, draw: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(_HEAD, len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _lengthen(content: bytes, draw: Random) -> bytes:
    """Write a length that is huge or negative over another one: behind a zero byte, which most of them begin with."""
    start = draw.randrange(_HEAD, len(content) - 4)
    at = content.find(b"\0\0", start, len(content) - 4)
    at = start if at < 0 else at
    return content[:at] + draw.choice(_LENGTHS) + content[at + 4 :]


def _grow(content: bytes, draw: Random) -> bytes:
    at = draw.randrange(_HEAD, len(content))
    return content[:at] + draw.randbytes(draw.choice((1, 4, 1000))) + content[at:]


def _drop(content: bytes, draw: Random) -> bytes:
    at = draw.randrange(_HEAD, len(content))
    return content[:at] + content[at + draw.choice((1, 4, 1000)) :]


def _blank(content: bytes, draw: Random) -> bytes:
    at, size = draw.randrange(_HEAD, len(content)), draw.choice((4, 64, 4000))
    return content[:at] + bytes([draw.choice((0, 255))]) * len(content[at : at + size]) + content[at + size :]


KINDS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut,
    _change,
    _lengthen,
    _grow,
    _drop,
    _blank,
    _change,
    _lengthen,
)


def damaged(savepoint: Path, to: Path, count: int, draw: Random) -> Iterator[Path]:
    """Copies of a savepoint in which one file is damaged; of a checkpoint, copies of its job's folder.

    Args:
        savepoint: the folder with the metadata.
        to: the folder of the copies.
        count: their number.
        draw: random numbers.
    """
    is_checkpoint = savepoint.name.startswith("chk-")
    root = savepoint.parent if is_checkpoint else savepoint
    for number in range(count):
        copied = to / str(number)
        copytree(root, copied)
        # Half of them damage the metadata, which refers to all other files.
        files = sorted(path for path in copied.rglob("*") if path.is_file())
        metadata = copied / savepoint.relative_to(root) / "_metadata"
        file = metadata if number % 2 else draw.choice(files)
        file.write_bytes(KINDS[number % len(KINDS)](file.read_bytes(), draw))
        yield metadata.parent
