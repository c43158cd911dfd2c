"""Plan files, local and remote."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

from compiled_plan.plans.errors import CompiledPlanError, PlanError, ProgramError
from compiled_plan.plans.files import remote
from compiled_plan.plans.files.faults import reading, writing
from compiled_plan.plans.files.kinds import PLAN, PROGRAM, refuse_other_kind
from compiled_plan.plans.files.paths import STDIN, is_remote, local_path, quoted

_ERRORS: dict[str, type[CompiledPlanError]] = {PLAN: PlanError, PROGRAM: ProgramError}


def read_text(path: str | Path, noun: str = PLAN) -> str:
    """Read a plan or a program; `-` is standard input.

    Raises PlanError, or ProgramError for a program, if the file is of another kind or cannot be read; for remote files
    the remedy names the driver to install.
    """
    error = _ERRORS[noun]
    with reading(path, f"{noun} file", error):
        if is_remote(path):
            data = remote.read(str(path), noun)
        else:
            data = sys.stdin.buffer.read() if _is_stdin(path, noun) else local_path(path).read_bytes()
        text = data.decode("utf-8")
        if b"\0" in data[:4]:  # UTF-16 without a mark is valid UTF-8 as well
            raise UnicodeDecodeError("utf-8", data, 0, 1, "NUL")
    refuse_other_kind(path, text, noun, error)
    return text


def _is_stdin(path: str | Path, noun: str) -> bool:
    return noun == PROGRAM and str(path) == STDIN


def write_text(path: str | Path, text: str) -> None:
    """Replace a file atomically. Raises PlanError; for remote files the remedy names the driver to install."""
    with writing(path, "plan file", PlanError):
        if is_remote(path):
            remote.write(str(path), text.encode("utf-8"))
        else:
            _replace(local_path(path), text)


def exists(path: str | Path) -> bool:
    """Return True if the file exists. Raises PlanError for a folder, and for an unreachable store."""
    if not is_remote(path):
        if local_path(path).is_dir():
            raise PlanError("a folder, where a file is wanted", where=quoted(path), remedy="name a file in it")
        return local_path(path).exists()
    return remote.exists(str(path))


def _replace(path: Path, text: str) -> None:
    target = path.resolve() if path.is_symlink() else path
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
