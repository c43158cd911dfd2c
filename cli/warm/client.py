"""The side of the command: hands itself over to the process that kept Spark, or starts one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import typer

from compiled_plan.cli.common.running import INTERRUPTED
from compiled_plan.cli.common.terminal import ExitCode, console
from compiled_plan.cli.warm.meeting import (
    BUSY,
    OTHER,
    SOCKET,
    TAKEN,
    Conversation,
    Request,
    folder,
    key_of,
    send,
    send_request,
)
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.session.kept import keeps_session
from compiled_plan.plans.text.durations import parse_duration

#: How long a process that is there has to answer, and one that is being started.
_SECONDS = 20.0
#: Imports from where the command does: its folder is not first among these unless it is for the command.
_SERVE = "import sys; sys.path[:] = sys.argv[3:]; from compiled_plan.cli.warm_server import main; main(*sys.argv[1:3])"
#: What a process may be kept for, a day.
_MOST_MS = 86_400_000


def run_warm(kept: str, plans: bool, master: str, settings: Mapping[str, str], *, alone: bool, silent: bool) -> None:
    """Have a command run by the process that kept Spark, which is started where there is none that fits.

    Returns where the command is to run in its own process.

    Args:
        kept: how long Spark is kept for the next one, as `--warm` has it.
        plans: whether the command has any; with none, and no time, the process that kept Spark is ended.
        alone: whether the command needs a process of its own.
        silent: whether nothing is said of a process that is busy.

    Raises:
        typer.Exit: the command has run.
        typer.BadParameter: no duration, or one of more than a day.
        ExecutionError: the folder in which the processes meet is not the user's own; that process ended in the middle.
    """
    seconds = _seconds(kept)
    if keeps_session() or not hasattr(socket, "send_fds") or not hasattr(os, "getuid"):
        return
    if not plans and not alone and not seconds:
        _end_kept()
        raise typer.Exit(ExitCode.OK)
    if alone or not plans or "PYSPARK_GATEWAY_PORT" in os.environ:
        return
    with _alone(folder()) as place:
        request = Request(key_of(master, settings), sys.argv, seconds)
        try:
            found = _asked(place, request) or _asked_anew(place, request)
        except _BusyError:
            found = None
    if found is not None:
        raise typer.Exit(_followed(found))
    if not silent:
        console().print("the process that keeps Spark is busy: this command starts its own")


def _seconds(kept: str) -> float:
    try:
        millis = parse_duration(kept)
    except CompiledPlanError as fault:
        raise typer.BadParameter(f"--warm: {fault}") from None
    if millis > _MOST_MS:
        raise typer.BadParameter(f"--warm {kept}: Spark is kept for a day at most")
    return millis / 1000


def _end_kept() -> None:
    """End the process that kept Spark, if there is one.

    Raises:
        ExecutionError: it runs a command.
    """
    with _alone(folder()) as place:
        peer = _connected(place)
        if peer is not None and _answer(peer, Request("", (), 0.0)) == BUSY:
            raise ExecutionError("the process that keeps Spark runs a command", remedy="stop that one first")


@contextmanager
def _alone(place: Path) -> Iterator[Path]:
    """No other command asks meanwhile."""
    import fcntl

    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield place / SOCKET


def _connected(place: Path) -> socket.socket | None:
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(_SECONDS)
    try:
        peer.connect(str(place))
    except OSError:
        peer.close()
        return None
    return peer


def _answer(peer: socket.socket, request: Request) -> str:
    """What a process says to a command; `OTHER` where it has ended meanwhile."""
    try:
        send_request(peer, request)
        return str(Conversation(peer).message()["answer"])
    except (OSError, EOFError):
        return OTHER


class _BusyError(Exception):
    """The process is there, and runs another command."""


def _asked(place: Path, request: Request) -> socket.socket | None:
    """The process that is there, where it takes the command."""
    peer = _connected(place)
    if peer is None:
        return None
    answer = _answer(peer, request)
    if answer == TAKEN:
        return peer
    peer.close()
    if answer == BUSY:
        raise _BusyError
    return None


def _asked_anew(place: Path, request: Request) -> socket.socket | None:
    """A process that is started for the command."""
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()
        subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE, str(listening.fileno()), request.key, *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
            start_new_session=True,
        )
    return _asked(place, request)


def _followed(peer: socket.socket) -> int:
    """Wait for the end of the command, and tell the process of signals that come meanwhile."""
    peer.settimeout(None)
    told: list[int] = []

    def tell(number: int, frame: FrameType | None) -> None:
        told.append(number)
        with suppress(OSError):
            send(peer, {"signal": number})

    before = {number: signal.signal(number, tell) for number in INTERRUPTED}
    try:
        return int(Conversation(peer).message()["exit"])
    except EOFError:
        if told:
            return INTERRUPTED[signal.Signals(told[-1])]
        raise ExecutionError(
            "the process that kept Spark has ended in the middle of the run",
            remedy="start it again; what was committed to its checkpoint is kept",
        ) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        peer.close()
