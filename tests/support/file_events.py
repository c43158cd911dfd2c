"""File events below a folder as they happen, by Linux's inotify, so that none is missed."""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_MODIFY, _CLOSE_WRITE, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x8, 0x80, 0x100, 0x200
_MASK = _MODIFY | _CLOSE_WRITE | _MOVED_TO | _CREATE | _DELETE
_HEAD = struct.Struct("iIII")


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A file or folder was created, written, closed, renamed to a name, or removed."""

    path: Path
    removed: bool


class FileEvents:
    """Events below a folder from now on, including folders that are created later."""

    def __init__(self, root: Path) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._number = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._number < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._folders: dict[int, Path] = {}
        list(self._watch(root))

    def close(self) -> None:
        """Stop watching."""
        os.close(self._number)

    def within(self, seconds: float) -> Iterator[FileEvent]:
        """The events since the last call; waits up to this long for the first."""
        if not select.select([self._number], [], [], seconds)[0]:
            return
        data = os.read(self._number, 1 << 16)
        at = 0
        while at < len(data):
            folder, mask, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size + length
            name = data[at - length : at].rstrip(b"\0")
            if folder not in self._folders or not name:
                continue
            path = self._folders[folder] / os.fsdecode(name)
            yield FileEvent(path, bool(mask & _DELETE))
            if mask & (_CREATE | _MOVED_TO) and path.is_dir():
                yield from self._watch(path)

    def _watch(self, folder: Path) -> Iterator[FileEvent]:
        """Files may have appeared before the watch began, so they are reported too."""
        number = self._library.inotify_add_watch(self._number, os.fsencode(folder), _MASK)
        if number < 0:
            return
        self._folders[number] = folder
        try:
            paths = list(folder.iterdir())
        except OSError:
            return
        for path in paths:
            yield FileEvent(path, False)
            if path.is_dir():
                yield from self._watch(path)


@contextmanager
def file_events(root: Path) -> Iterator[FileEvents]:
    """Watch a folder while a block runs."""
    events = FileEvents(root)
    try:
        yield events
    finally:
        events.close()
