"""The lock of a checkpoint: one process at a time writes into it.

On local files the lock is one of the operating system, held by Spark's process, which does all the writing: the lock
ends with that process, however it ends. Elsewhere the lock is a lease, see `leases`.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder, LocalFolder
from compiled_plan.plans.execution.state.checkpoint.leases import Lease, busy, owner_in, this_process
from compiled_plan.plans.spark_versions import spark_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCK = "lock"
#: Seconds to wait for Spark's process to exit after the process that started it has exited.
_ENDING = 20.0
_POLL = 0.1
_FILES = "org.compiledplan.kernel.files"
#: Spark's setting for the class that writes checkpoints, and the kernel's for the user's class that it wraps.
MANAGER, INNER = "spark.sql.streaming.checkpointFileManagerClass", "spark.compiledPlan.checkpointFileManagerClass"


class Lock(Protocol):
    def holds(self) -> bool:
        """True while this process may write."""

    def release(self, remove: bool) -> None:
        """Release the lock; with `remove` delete its files."""


def lock(spark: SparkSession, folder: Folder, lost: Callable[[], None], term: float) -> Lock:
    """Lock an existing checkpoint folder.

    Args:
        spark: the session that will write.
        folder: the root of the checkpoint.
        lost: called when a lease could not be renewed in time.
        term: the life of a lease, in seconds.

    Raises:
        CheckpointError: another process holds it; the message names the process.
    """
    use_kernel_files(spark)
    return _locked(spark, folder) if isinstance(folder, LocalFolder) else _leased(spark, folder, lost, term)


def use_kernel_files(spark: SparkSession) -> None:
    """Let a session read and write checkpoints through the kernel's class, around that of the user."""
    wrapper = spark_version(spark.version).checkpoint_files
    if (inner := spark.conf.get(MANAGER, "")) != wrapper:
        # Without a lease and digests the kernel's class behaves like the inner one, so the setting may stay.
        spark.conf.set(INNER, inner or "")
        spark.conf.set(MANAGER, wrapper)


# ---- this machine's files


@dataclass(frozen=True, slots=True)
class _SystemLock:
    """A lock of the operating system, which cannot be lost."""

    held: Any

    def holds(self) -> bool:
        return True

    def release(self, remove: bool) -> None:
        self.held.release(remove)


def _locked(spark: SparkSession, folder: LocalFolder) -> _SystemLock:
    locks, path = java_class(spark._jvm, f"{_FILES}.FolderLock"), folder.path / LOCK
    deadline = time.monotonic() + _ENDING
    while True:
        try:
            held = locks.take(str(path))
        except Exception as fault:
            raise CheckpointError(
                f"the checkpoint's folder cannot be locked: {_said(fault)}",
                where=folder.shown,
                remedy="name a folder that can be written, on a file system with locks",
            ) from fault
        if held is not None:
            break
        owner = owner_in(folder, LOCK)
        if is_alive(owner) or time.monotonic() > deadline:
            raise busy(folder, owner)
        time.sleep(_POLL)
    # For people, and for processes that are refused. No rename, which would leave the lock on another file.
    # On a full disk the lock holds without it.
    with suppress(OSError):
        path.write_text(json.dumps(this_process()))

    return _SystemLock(held)


def _said(fault: Exception) -> str:
    java = getattr(fault, "java_exception", None)
    return str(java.toString() if java is not None else fault)


def is_alive(owner: dict[str, Any]) -> bool:
    """Return True if the owner runs, or runs on another machine."""
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


def _leased(spark: SparkSession, folder: Folder, lost: Callable[[], None], term: float) -> Lock:
    fence = java_class(spark._jvm, f"{_FILES}.Fence")
    lease = Lease(folder, term, clock=fence.seconds, fence=lambda until: fence.put(folder.uri, until, term))
    lease.take()
    lease.keep(lost)
    return lease
