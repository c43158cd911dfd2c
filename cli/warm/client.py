"""The client: hand the command over to the warm process, or start one."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import typer

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
from compiled_plan.commands.interrupts import code_of, handled_by
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.session.kept import keeps_session
from compiled_plan.plans.text.durations import parse_duration

#: The timeout for the answer of a running or starting process.
_SECONDS = 20.0
#: The process takes over sys.path of the command, so that it imports the same modules.
_SERVE = "import sys; sys.path[:] = sys.argv[3:]; from compiled_plan.cli.warm_server import main; main(*sys.argv[1:3])"
#: The maximum of `--warm`, one day.
_MOST_MS = 86_400_000


def run_warm(
    retention: str,
    plans: bool,
    master: str,
    settings: Mapping[str, str],
    *,
    alone: bool,
    silent: bool,
    command: str = "execute_plan",
) -> None:
    """Run the command in the warm process, which is started if none fits.

    Return if the command has to run in its own process.

    Args:
        retention: the idle time after which the warm process ends, the value of `--warm`.
        plans: the command has plans; without plans and with a retention of 0, the warm process is ended.
        master: the Spark master.
        settings: the Spark settings.
        alone: the command needs its own process.
        silent: print nothing if the warm process is busy.
        command: the module of the command in `compiled_plan.cli`.

    Raises:
        typer.Exit: the command has run.
        typer.BadParameter: the retention is not a duration, or longer than a day.
        ExecutionError: the folder of the socket is not private to the user, or the warm process ended during the run.
    """
    seconds = _seconds(retention)
    if keeps_session() or not hasattr(socket, "send_fds") or not hasattr(os, "getuid"):
        return
    if not plans and not alone and not seconds:
        _end_warm()
        raise typer.Exit(ExitCode.OK)
    if alone or not plans or "PYSPARK_GATEWAY_PORT" in os.environ:
        return
    with _alone(folder()) as place:
        request = Request(key_of(master, settings), sys.argv, seconds, command)
        try:
            peer = _hand_over(place, request) or _start(place, request)
        except _BusyError:
            peer = None
    if peer is not None:
        raise typer.Exit(_follow(peer))
    if not silent:
        console().print("the warm Spark process is busy: this command starts its own")


def _seconds(retention: str) -> float:
    try:
        millis = parse_duration(retention)
    except CompiledPlanError as fault:
        raise typer.BadParameter(f"--warm: {fault}") from None
    if millis > _MOST_MS:
        raise typer.BadParameter(f"--warm {retention}: the maximum is one day")
    return millis / 1000


def _end_warm() -> None:
    """End the warm process, if there is one.

    Raises:
        ExecutionError: the process runs a command.
    """
    with _alone(folder()) as place:
        peer = _connected(place)
        if peer is not None and _answer(peer, Request("", (), 0.0)) == BUSY:
            raise ExecutionError("the warm Spark process runs a command", remedy="stop that command first")


@contextmanager
def _alone(place: Path) -> Iterator[Path]:
    """Hold the lock that serializes requests of commands."""
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
    """The answer to a request; `OTHER` if the process has ended meanwhile."""
    try:
        send_request(peer, request)
        return str(Conversation(peer).message()["answer"])
    except (OSError, EOFError):
        return OTHER


class _BusyError(Exception):
    """The warm process runs another command."""


def _hand_over(place: Path, request: Request) -> socket.socket | None:
    """The connection to the running process, if it takes the command."""
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


def _start(place: Path, request: Request) -> socket.socket | None:
    """Start a process for the command, and connect to it."""
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
    return _hand_over(place, request)


def _follow(peer: socket.socket) -> int:
    """Wait for the end of the command, and forward signals to the process meanwhile."""
    peer.settimeout(None)
    signals: list[int] = []

    def tell(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        with suppress(OSError):
            send(peer, {"signal": number})

    try:
        with handled_by(tell):
            return int(Conversation(peer).message()["exit"])
    except EOFError:
        if signals:
            return code_of(signals[-1])
        raise ExecutionError(
            "the warm Spark process ended during the run",
            remedy="start it again; data committed to its checkpoint is safe",
        ) from None
    finally:
        peer.close()
