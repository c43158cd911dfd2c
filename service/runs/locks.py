"""Locks that a run inherits: held while its process or the one that waits for it lives, whoever started it."""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import suppress
from pathlib import Path


class Lock:
    """A lock that was taken. `fd` is handed to the process that is to hold it on; `close` is this one's part of it.

    Args:
        fd: an open file.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def close(self) -> None:
        """Hold it no more; processes that inherited it still do."""
        with suppress(OSError):
            os.close(self.fd)


def take(path: Path) -> Lock | None:
    """Take the lock of a file, which is made; None where somebody has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return Lock(fd)


def is_taken(path: Path) -> bool:
    """Whether somebody has the lock of a file."""
    if not path.exists():
        return False
    lock = take(path)
    if lock is not None:
        lock.close()
    return lock is None


def checkpoint_lock(folder: Path, checkpoint: str) -> Path:
    """The file whose lock is that of a checkpoint, however its path is spelled."""
    text = checkpoint.removeprefix("file://") if checkpoint.startswith("file:///") else checkpoint
    place = text.rstrip("/") if "://" in text else os.path.realpath(text)
    return folder / hashlib.sha256(place.encode()).hexdigest()[:32]
