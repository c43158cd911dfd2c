"""Runs as separate processes: lock, start, find again, and stop.

A stop signal is recorded before it is sent, so that a restarted service does not repeat it: a second SIGTERM ends a run
at once, and the next start repeats uncommitted work.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import psutil

from compiled_plan.service.runs.folders import COMMAND, EXIT, PROCESS, RunFolder, latest_run, new_run, next_run

LOCK = "lock"
#: The place of the file descriptor of the secrets in a command line.
SECRETS = "{secrets}"
#: The tolerance for start times of processes, in seconds, since adjustments of the clock shift them.
_CLOCK = 2.0
_POLL = 0.05


class Phase(Enum):
    STARTING = "its process is starting"
    RUNNING = "its process runs"
    ENDED = "its process has ended"
    LOST = "its process has ended with an unknown exit code"


@dataclass(frozen=True, slots=True)
class ProcessState:
    """The state of a run's process.

    Args:
        phase: the phase of the run.
        pid: the process id; 0 for none.
        since: the start time, in epoch seconds.
        code: the exit code, negative for a signal; None while it runs, or if unknown.
        ended: the end time, in epoch seconds.
        left: child processes that survived it for a while.
    """

    phase: Phase
    pid: int = 0
    since: float = 0.0
    code: int | None = None
    ended: float | None = None
    left: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        """Return True if the process has ended."""
        return self.phase in (Phase.ENDED, Phase.LOST)


@dataclass(frozen=True, slots=True)
class Launch:
    """A command to start.

    Args:
        argv: the command line; `{run}` is replaced by the folder of the run.
        cwd: the working folder.
        checkpoint_lock: the lock file of the checkpoint.
        environment: additional environment variables.
        facts: further content of `command.json`.
        files: files for the folder of the run, by name.
        secrets: lines for the descriptor whose number replaces `SECRETS` in the command line.
    """

    argv: Sequence[str]
    cwd: Path
    checkpoint_lock: Path
    environment: Mapping[str, str]
    facts: Mapping[str, object]
    files: Mapping[str, str]
    secrets: bytes = b""


class TakenError(Exception):
    """The pipeline or the checkpoint has an active run."""


def launch(pipeline: Path, what: Launch, umask: int = -1) -> RunFolder:
    """Start a run as a process that outlives this one.

    Args:
        pipeline: the folder of the pipeline's runs.
        what: the command.
        umask: the umask of the process; negative for that of this process.

    Raises:
        TakenError: another run has locked the pipeline or the checkpoint.
    """
    pipeline.mkdir(parents=True, exist_ok=True)
    own = take(pipeline / LOCK)
    if own is None:
        raise TakenError("another run of this pipeline is active")
    checkpoint_lock = take(what.checkpoint_lock)
    secrets = _in_memory(what.secrets) if what.secrets else None
    try:
        if checkpoint_lock is None:
            raise TakenError("a run of another pipeline uses this checkpoint")
        # The command contains the path of the folder, which does not exist yet.
        path = str(next_run(pipeline).path)
        locks = [own.fd, checkpoint_lock.fd]
        folder = new_run(
            pipeline,
            {
                "argv": [word.replace("{run}", path).replace(SECRETS, str(secrets)) for word in what.argv],
                "cwd": str(what.cwd),
                "environment": dict(what.environment),
                "locks": locks,
                "secrets": secrets,
                "umask": umask,
                "at": time.time(),
                **what.facts,
            },
            what.files,
        )
        waiter = subprocess.Popen(
            [sys.executable, "-P", "-m", "compiled_plan.service.runs.waiter", str(folder.path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder.path / "waiter.log").open("ab"),
            pass_fds=locks if secrets is None else [*locks, secrets],
            start_new_session=True,
        )
        _forget(waiter)
        return folder
    finally:
        own.close()
        if secrets is not None:
            os.close(secrets)
        if checkpoint_lock is not None:
            checkpoint_lock.close()


def _in_memory(content: bytes) -> int:
    """A descriptor of a file without a name, and where the system has it without a disk, at its beginning."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("secrets")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _forget(waiter: subprocess.Popen[bytes]) -> None:
    """Reap the waiter when it ends, so that it does not stay a zombie."""
    threading.Thread(target=waiter.wait, name=f"waiter-{waiter.pid}", daemon=True).start()


def state_of(folder: RunFolder) -> ProcessState:
    """The state of a run, from its files and the processes of the machine."""
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
        # The waiter is alive: it has not yet started the run, or not yet recorded its end.
        command = folder.read(COMMAND) or {}
        return ProcessState(Phase.STARTING, pid, since or float(command.get("at", 0.0)))
    # The file may have been written since the first check.
    if folder.read(EXIT) is not None:
        return state_of(folder)
    return ProcessState(Phase.LOST, pid, since, ended=since or None)


def is_alive(pid: int, started: float) -> bool:
    """Return True if the process runs; the start time distinguishes it from a later process with the same pid."""
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < _CLOCK
        return bool(same and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def signal_run(folder: RunFolder, number: signal.Signals | None) -> bool:
    """Send a signal to the process of a run; return False if it no longer runs.

    Args:
        folder: the run.
        number: the signal; None only checks the process.
    """
    process = folder.read(PROCESS)
    if process is None or not is_alive(process["pid"], process["started"]):
        return False
    try:
        os.kill(_signal_target(folder, process["pid"]), number or 0)
    except ProcessLookupError:
        return False
    return True


def _signal_target(folder: RunFolder, pid: int) -> int:
    """The process for signals: for spark-submit its Python script, since its JVM would end without the script."""
    if (folder.read(COMMAND) or {}).get("launcher") != "spark-submit":
        return pid
    try:
        scripts = [child for child in psutil.Process(pid).children(recursive=True) if "python" in child.name().lower()]
    except psutil.NoSuchProcess:
        return pid
    return int(scripts[0].pid) if scripts else pid


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition; return False after a timeout in seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)
    return True


def current(pipeline: Path) -> tuple[RunFolder, ProcessState] | None:
    """The newest run of a pipeline with its state; None before the first."""
    folder = latest_run(pipeline)
    return None if folder is None else (folder, state_of(folder))


# ---- stops

STOP = "stop.json"
_STOPPING = "stop.lock"
#: Seconds after the run's own timeout before the next signal, and between further signals.
_MARGIN = 15.0
_SIGNALS = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)


def request_stop(run: RunFolder, seconds: float, now: float | None = None) -> None:
    """Send the next signal if it is due; called repeatedly while the run is active.

    Args:
        run: the run.
        seconds: the run's own timeout for a stop.
        now: epoch seconds; by default the clock's.
    """
    # The service and `plan-service stop` may stop the same run.
    lock = take(run.path / _STOPPING)
    if lock is None:
        return
    try:
        at = time.time() if now is None else now
        request = run.read(STOP) or {"at": at, "sent": 0}
        late = at - request["at"] - seconds
        due = 1 if late < _MARGIN else 2 if late < 2 * _MARGIN else 3
        if request["sent"] < due and signal_run(run, None):
            run.write(STOP, {**request, "sent": request["sent"] + 1})
            signal_run(run, _SIGNALS[request["sent"]])
    finally:
        lock.close()


def is_stop_requested(run: RunFolder) -> bool:
    """Return True if a stop of the run was requested."""
    return stop_requested_at(run) is not None


def stop_requested_at(run: RunFolder) -> float | None:
    """The time of the first stop signal, in epoch seconds."""
    request = run.read(STOP)
    return None if request is None else float(request["at"])


# ---- locks that a run inherits: held while its process or its waiter lives


class Lock:
    """An acquired lock. Processes that inherit `fd` hold it, too; `close` releases it in this process only."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def close(self) -> None:
        """Release the lock in this process; processes that inherited it still hold it."""
        with suppress(OSError):
            os.close(self.fd)


def take(path: Path) -> Lock | None:
    """Acquire the lock of a file, which is created; None if it is held already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return Lock(fd)


def is_taken(path: Path) -> bool:
    """Return True if the lock of a file is held."""
    if not path.exists():
        return False
    lock = take(path)
    if lock is not None:
        lock.close()
    return lock is None


def checkpoint_lock(folder: Path, checkpoint: str) -> Path:
    """The lock file of a checkpoint, independent of the spelling of its path."""
    text = checkpoint.removeprefix("file://") if checkpoint.startswith("file:///") else checkpoint
    place = text.rstrip("/") if "://" in text else os.path.realpath(text)
    return folder / hashlib.sha256(place.encode()).hexdigest()[:32]
