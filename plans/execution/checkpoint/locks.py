"""Who may write into a checkpoint: one process at a time.

On this machine's files a lock of the operating system, held by Spark's process, which does all the writing: it ends
with that process, however it ends. Elsewhere a lease: a numbered file that names its owner and a time; the owner puts
the time off while it runs, and who finds it passed takes the next number.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from compiled_plan.plans.errors import BusyError, CheckpointError
from compiled_plan.plans.execution.java import java_class
from compiled_plan.plans.execution.storage import Folder, LocalFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCK, LEASES = "lock", "leases"
#: How long a lease holds after it was last put off, in seconds.
TERM = 60.0
#: How long to wait for Spark's process to end where the one that had started it has ended, in seconds.
_ENDING = 20.0
_POLL = 0.1

#: Gives the lock back; told whether nothing is to be left of it.
Release = Callable[[bool], None]


def lock(spark: SparkSession, folder: Folder, lost: Callable[[], None]) -> Release:
    """Take the lock of a checkpoint's folder, which is there.

    Args:
        spark: the session that is to write.
        folder: the root of the checkpoint.
        lost: called when somebody else has taken a lease that could not be put off in time.

    Raises:
        CheckpointError: somebody else has it; says who.
    """
    return _locked(spark, folder) if isinstance(folder, LocalFolder) else leased(folder, lost)


def _owner() -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"host": socket.gethostname(), "process": os.getpid(), "since": now}


def _refusal(folder: Folder, owner: dict[str, Any], more: str = "") -> BusyError:
    who = f"process {owner.get('process', '?')} on {owner.get('host', '?')}"
    return BusyError(
        f"{who} runs a plan on this checkpoint since {owner.get('since', '?')}{more}",
        where=folder.shown,
        remedy="stop that run first, or name another folder with --checkpoint",
    )


# ---- this machine's files


def _locked(spark: SparkSession, folder: LocalFolder) -> Release:
    jvm = spark._jvm
    assert jvm is not None
    locks, path = java_class(jvm, "org.compiledplan.kernel.files.FolderLock"), folder.path / LOCK
    deadline = time.monotonic() + _ENDING
    while True:
        try:
            held = locks.take(str(path))
        except Exception as fault:
            raise CheckpointError(
                f"the checkpoint's folder cannot be locked: {_said(fault)}",
                where=folder.shown,
                remedy="name a folder that can be written, on a file system that knows locks",
            ) from fault
        if held is not None:
            break
        owner = _written(folder)
        if _is_alive(owner) or time.monotonic() > deadline:
            raise _refusal(folder, owner)
        time.sleep(_POLL)
    # For people, and for who is refused; not by renaming, which would leave the lock on another file.
    # On a disk that is full the lock holds without it.
    with suppress(OSError):
        path.write_text(json.dumps(_owner()))

    return lambda remove: held.release(remove)


def _said(fault: Exception) -> str:
    java = getattr(fault, "java_exception", None)
    return str(java.toString() if java is not None else fault)


def _written(folder: Folder) -> dict[str, Any]:
    """Who says that he has the lock."""
    with suppress(ValueError):
        found = json.loads(folder.read_text(LOCK) or "{}")
        if isinstance(found, dict):
            return found
    return {}


def _is_alive(owner: dict[str, Any]) -> bool:
    """Whether the owner runs; one of another machine cannot be asked."""
    if owner.get("host") != socket.gethostname() or not isinstance(owner.get("process"), int):
        return bool(owner)
    try:
        os.kill(owner["process"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


# ---- other file systems


def leased(folder: Folder, lost: Callable[[], None], term: float = TERM) -> Release:
    """Take a lease, for so many seconds at a time; see `lock`."""
    number, owner = _newest(folder)
    if owner.get("until", 0) > time.time():
        until = datetime.fromtimestamp(owner["until"], UTC).isoformat(timespec="seconds")
        raise _refusal(folder, owner, f"; its lease ends at {until} unless it is put off")
    name, own = f"{LEASES}/{number + 1}", _owner() | {"id": uuid4().hex}

    def text() -> str:
        return json.dumps(own | {"until": time.time() + term})

    try:
        folder.create_text(name, text())
    except FileExistsError:
        raise _refusal(folder, _newest(folder)[1]) from None
    # Where making a file is not exclusive the last one to write it has it.
    if json.loads(folder.read_text(name) or "{}").get("id") != own["id"]:
        raise _refusal(folder, _newest(folder)[1])
    for old in folder.names(LEASES):
        if old.isdigit() and int(old) <= number:
            folder.remove(f"{LEASES}/{old}")
    ended = threading.Event()

    def put_off() -> None:
        while not ended.wait(term / 4):
            if _newest(folder)[0] != number + 1:
                lost()
                return
            # A file system that does not answer now may answer at the next turn.
            with suppress(Exception):
                folder.write_text(name, text())

    thread = threading.Thread(target=put_off, name="checkpoint-lease", daemon=True)
    thread.start()

    def release(remove: bool) -> None:
        ended.set()
        thread.join(term)
        if _newest(folder)[0] == number + 1:
            folder.remove(LEASES if remove else name)

    return release


def _newest(folder: Folder) -> tuple[int, dict[str, Any]]:
    """The number and the text of the newest lease; 0 where there is none."""
    number = max((int(name) for name in folder.names(LEASES) if name.isdigit()), default=0)
    with suppress(ValueError):
        found = json.loads(folder.read_text(f"{LEASES}/{number}") or "{}") if number else {}
        if isinstance(found, dict):
            return number, found
    return number, {}
