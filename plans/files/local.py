"""Plan files, local and remote."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from compiled_plan.plans.errors import PlanError


def is_remote(path: str | Path) -> bool:
    """Whether the path is a URL that fsspec serves (`s3://...`)."""
    return "://" in str(path) and not str(path).startswith("file://")


def read_text(path: str | Path, what: str = "plan") -> str:
    """The text of a file.

    Args:
        path: local, or a URL that fsspec serves.
        what: what the file is, for errors.

    Raises:
        PlanError: it cannot be read, or it is not UTF-8; of a remote one, also what to install for it.
    """
    try:
        if is_remote(path):
            from compiled_plan.plans.files import remote

            data = remote.read(str(path), what)
        else:
            data = _local(path).read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise PlanError(f"not a {what}: the file is not UTF-8", where=f"{path}, byte {fault.start}") from None
    except FileNotFoundError:
        raise PlanError(f"no such {what} file", where=str(path), remedy="check the path") from None
    except OSError as fault:
        raise PlanError(f"cannot read the {what}: {fault.strerror or fault}", where=str(path)) from None


def write_text(path: str | Path, text: str) -> None:
    """Write a file at once: a reader sees the old text or the new one, never a part.

    Raises:
        PlanError: it cannot be written; of a remote one, also what to install for it.
    """
    try:
        if is_remote(path):
            from compiled_plan.plans.files import remote

            remote.write(str(path), text.encode("utf-8"))
        else:
            _replace(_local(path), text)
    except OSError as fault:
        raise PlanError(f"cannot write the plan: {fault.strerror or fault}", where=str(path)) from None


def exists(path: str | Path) -> bool:
    """Whether there is such a file.

    Raises:
        PlanError: the store of a remote one cannot be asked; says what to install for it.
    """
    if not is_remote(path):
        return _local(path).exists()
    from compiled_plan.plans.files import remote

    return remote.exists(str(path))


def _local(path: str | Path) -> Path:
    return Path(str(path).removeprefix("file://"))


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
