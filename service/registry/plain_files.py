"""Files of a folder that others may write to: no link is followed, so that nothing outside is read or written."""

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

#: Other users may not read files with secrets.
_OWN, _USUAL = 0o600, 0o666
_REMEDY = "put the file itself there"


def read_file(folder: Path, name: str) -> str | None:
    """The text of a file; None where there is none.

    Raises:
        ProgramError: it is a link, or none that can be read.
    """
    path = folder / name
    with reading(path, "file", ProgramError), _opened(folder) as place:
        try:
            # What is no plain file, such as a pipe, would be waited for.
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
    """Write a file.

    Args:
        text: its text; None removes it.
        secret: whether nobody else may read it.

    Raises:
        ProgramError: it is a link, or cannot be written.
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
        return ProgramError("this is a link, and is not followed", where=quoted(path), remedy=_REMEDY)
    # A pipe that nobody reads cannot be opened to write.
    if fault is None or fault.errno == errno.ENXIO:
        return ProgramError("this is no plain file", where=quoted(path), remedy=_REMEDY)
    return fault
