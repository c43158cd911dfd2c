"""Files of a folder that others may write to: symbolic links are not followed, so that access stays inside."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reading, writing

#: File modes with and without secrets.
_OWN, _USUAL = 0o600, 0o666
_REMEDY = "replace it by a regular file"


def read_file(folder: Path, name: str) -> str | None:
    """Read a text file; None if it does not exist.

    Raises:
        ProgramError: the file is a symbolic link, or cannot be read.
    """
    path = folder / name
    with reading(path, "file", ProgramError), _opened(folder) as place:
        try:
            # O_NONBLOCK: opening a pipe would block.
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise _refused(path, fault) from None
        with os.fdopen(fd, encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise _refused(path)
            return file.read()


def write_file(folder: Path, name: str, text: str | None, *, secret: bool) -> None:
    """Write a text file.

    Args:
        folder: the folder of the file.
        name: the name of the file.
        text: its text; None removes it.
        secret: make it private.

    Raises:
        ProgramError: the file is a symbolic link, or cannot be written.
    """
    path = folder / name
    with writing(path, "file", ProgramError), _opened(folder) as place:
        if text is None:
            os.unlink(name, dir_fd=place)
            return
        mode = _OWN if secret else _USUAL
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, mode, dir_fd=place)
        except OSError as fault:
            raise _refused(path, fault) from None
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise _refused(path)
            if secret:
                os.fchmod(fd, _OWN)
            os.ftruncate(fd, 0)
            file.write(text)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as fault:
        raise _refused(folder, fault) from None
    try:
        yield place
    finally:
        os.close(place)


def _refused(path: Path, fault: OSError | None = None) -> Exception:
    if path.is_symlink():
        return ProgramError("this is a symbolic link, which is not followed", where=quoted(path), remedy=_REMEDY)
        # ENXIO: a pipe without a reader.
    if fault is None or fault.errno == errno.ENXIO:
        return ProgramError("this is not a regular file", where=quoted(path), remedy=_REMEDY)
    return fault
