"""Runs as processes of their own: locked, started, found again, and stopped.

A signal that stops a run is written down before it is sent: whoever looks after the run next sends nothing twice. A
second SIGTERM ends a run at once, and what it has not yet committed is done again at the next start.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import psutil

from compiled_plan.service.runs.folders import COMMAND, EXIT, PROCESS, RunFolder, latest_run, new_run, next_run

LOCK = "lock"
#: A clock that was set may move the time at which a process was started by so many seconds.
_CLOCK = 2.0
_POLL = 0.05


class Phase(Enum):
    """Where a run is."""

    STARTING = "its process is about to be there"
    RUNNING = "its process runs"
    ENDED = "its process has ended"
    LOST = "its process has ended, and nobody knows how"


@dataclass(frozen=True, slots=True)
class ProcessState:
    """What is known of a run's process.

    Args:
        pid: of the process; 0 where there is none.
        since: when it was started, in seconds since 1970.
        code: its exit code, negative for the signal that killed it; None while it runs or where nobody knows.
        ended: when it ended, in seconds since 1970.
        left: processes that it has started and that went on for a while after its end.
    """

    phase: Phase
    pid: int = 0
    since: float = 0.0
    code: int | None = None
    ended: float | None = None
    left: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.phase in (Phase.ENDED, Phase.LOST)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is to be started.

    Args:
        environment: variables beside those of the service.
        checkpoint_lock: the file whose lock is that of its checkpoint.
        facts: more that is kept with the command.
        files: texts by name that are written into the folder of the run, `{run}` in `argv` is its path.
    """

    argv: Sequence[str]
    cwd: Path
    checkpoint_lock: Path
    environment: Mapping[str, str]
    facts: Mapping[str, Any]
    files: Mapping[str, str]


class TakenError(Exception):
    """A run goes on for this pipeline, or on this checkpoint."""


def launch(pipeline: Path, what: Launch, umask: int = -1) -> RunFolder:
    """Start a run as a process that goes on when this one ends.

    Args:
        umask: of its process; that of this one if negative.

    Raises:
        TakenError: another run has the pipeline or the checkpoint.
    """
    pipeline.mkdir(parents=True, exist_ok=True)
    own = take(pipeline / LOCK)
    if own is None:
        raise TakenError("a run of this pipeline goes on")
    checkpoint_lock = take(what.checkpoint_lock)
    try:
        if checkpoint_lock is None:
            raise TakenError("a run of another pipeline goes on with this checkpoint")
        # The folder is not yet there, and its path goes into the command.
        path = str(next_run(pipeline).path)
        locks = [own.fd, checkpoint_lock.fd]
        folder = new_run(
            pipeline,
            {
                "argv": [word.replace("{run}", path) for word in what.argv],
                "cwd": str(what.cwd),
                "environment": dict(what.environment),
                "locks": locks,
                "umask": umask,
                "at": time.time(),
                **what.facts,
            },
            what.files,
        )
        waiter = subprocess.Popen(
            [sys.executable, "-m", "compiled_plan.service.runs.waiter", str(folder.path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder.path / "waiter.log").open("ab"),
            pass_fds=locks,
            start_new_session=True,
        )
        _forget(waiter)
        return folder
    finally:
        own.close()
        if checkpoint_lock is not None:
            checkpoint_lock.close()


def _forget(waiter: subprocess.Popen[bytes]) -> None:
    """Nobody asks how the waiter ended; its end is taken note of when it comes, so that no zombie stays."""
    threading.Thread(target=waiter.wait, name=f"waiter-{waiter.pid}", daemon=True).start()


def state_of(folder: RunFolder) -> ProcessState:
    """Where a run is, found by what is on disk and by the processes of the machine."""
    ended = folder.read(EXIT)
    process = folder.read(PROCESS) or {}
    pid, since = int(process.get("pid", 0)), float(process.get("at", 0.0))
    if ended is not None:
        return ProcessState(
            Phase.ENDED, pid, since or ended["at"], ended["code"], ended["at"], tuple(ended.get("left", ()))
        )
    if pid and is_alive(pid, process["started"]):
        return ProcessState(Phase.RUNNING, pid, since)
    if is_taken(folder.path.parent / LOCK):
        # The waiter lives: it has not yet started the run, or not yet written down how it ended.
        command = folder.read(COMMAND) or {}
        return ProcessState(Phase.STARTING, pid, since or float(command.get("at", 0.0)))
    # Between the two looks it may have been written.
    if folder.read(EXIT) is not None:
        return state_of(folder)
    return ProcessState(Phase.LOST, pid, since, ended=since or None)


def is_alive(pid: int, started: float) -> bool:
    """Whether that very process runs; another one may have its pid by now."""
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < _CLOCK
        return bool(same and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def signal_run(folder: RunFolder, number: signal.Signals | None) -> bool:
    """Send a signal to the process of a run; false where it does not run any more.

    Args:
        number: the signal; None only looks.
    """
    process = folder.read(PROCESS)
    if process is None or not is_alive(process["pid"], process["started"]):
        return False
    try:
        os.kill(_heeds(folder, process["pid"]), number or 0)
    except ProcessLookupError:
        return False
    return True


def _heeds(folder: RunFolder, pid: int) -> int:
    """The process that signals are for: spark-submit's Java ends without the script that it has started."""
    if (folder.read(COMMAND) or {}).get("launcher") != "spark-submit":
        return pid
    try:
        scripts = [child for child in psutil.Process(pid).children(recursive=True) if "python" in child.name().lower()]
    except psutil.NoSuchProcess:
        return pid
    return int(scripts[0].pid) if scripts else pid


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition; whether it came true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)
    return True


def current(pipeline: Path) -> tuple[RunFolder, ProcessState] | None:
    """The newest run of a pipeline's folder and where it is; None before the first."""
    folder = latest_run(pipeline)
    return None if folder is None else (folder, state_of(folder))


# ---- stops

STOP = "stop.json"
#: Seconds over the time that the run gives itself before it is asked again, and then between one signal and the next.
_MARGIN = 15.0
_SIGNALS = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)


def ask_to_stop(run: RunFolder, seconds: float, now: float | None = None) -> None:
    """Send the signal that is due, if any; called again and again while the run goes on.

    Args:
        seconds: that it gives itself to end.
        now: the time in seconds since 1970; the clock's if left out.
    """
    at = time.time() if now is None else now
    request = run.read(STOP) or {"at": at, "sent": 0}
    late = at - request["at"] - seconds
    due = 1 if late < _MARGIN else 2 if late < 2 * _MARGIN else 3
    if request["sent"] < due and signal_run(run, None):
        run.write(STOP, {**request, "sent": request["sent"] + 1})
        signal_run(run, _SIGNALS[request["sent"]])


def was_asked(run: RunFolder) -> bool:
    """Whether the run was asked to end."""
    return asked_at(run) is not None


def asked_at(run: RunFolder) -> float | None:
    """When the run was asked to end, in seconds since 1970."""
    request = run.read(STOP)
    return None if request is None else float(request["at"])


# ---- locks that a run inherits: held while its process or its waiter lives, whoever started it


class Lock:
    """A lock that was taken. `fd` is handed to the process that is to hold it on; `close` is this one's part of it."""

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
