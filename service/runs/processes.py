"""Runs as processes of their own: started, found again, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import psutil

from compiled_plan.service.runs.folders import COMMAND, EXIT, PROCESS, RunFolder, latest_run, new_run, next_run
from compiled_plan.service.runs.locks import is_taken, take

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
        phase: where it is.
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
        argv: the command and its arguments.
        cwd: the folder that it runs in.
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
        pipeline: the pipeline's folder.
        what: the command.
        umask: of its process; that of this one if negative.

    Raises:
        TakenError: another run has the pipeline or the checkpoint.
    """
    pipeline.mkdir(parents=True, exist_ok=True)
    own = take(pipeline / LOCK)
    if own is None:
        raise TakenError("a run of this pipeline goes on")
    other = take(what.checkpoint_lock)
    try:
        if other is None:
            raise TakenError("a run of another pipeline goes on with this checkpoint")
        # The folder is not yet there, and its path goes into the command.
        path = str(next_run(pipeline).path)
        locks = [own.fd, other.fd]
        folder = new_run(
            pipeline,
            {
                "argv": [each.replace("{run}", path) for each in what.argv],
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
        if other is not None:
            other.close()


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
        folder: of the run.
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
        scripts = [each for each in psutil.Process(pid).children(recursive=True) if "python" in each.name().lower()]
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
