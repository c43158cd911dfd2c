"""The socket and the protocol between commands and the warm process.

The socket is in a private folder of the user. The command sends a `Request` with its standard streams, and then each
signal that it receives as `{"signal": number}`. The process answers `{"answer": ...}` at once and `{"exit": code}` at
the end. A message is one line of JSON. If one side dies, the other reads an end of file.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import compiled_plan
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session.spark_session import working_folder

#: Answers of the warm process: it runs the command; it runs another command; it does not fit the command and ends.
TAKEN, BUSY, OTHER = "taken", "busy", "other"

#: Environment variables that differ between commands and do not affect a run.
_PASSING = frozenset({"_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES", "PYTEST_CURRENT_TEST"})
_NO_CODE = frozenset({"__pycache__", "src", "node_modules"})
_MOST_BYTES = 1 << 24
_STREAMS = 3
_OURS = 0o700
#: The name of the socket in its folder, and the maximum length of its path in bytes on all systems.
SOCKET, _LONGEST = "socket", 100


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a command.

    Args:
        key: the fingerprint of the process that it needs, see `key_of`.
        arguments: its command line, with the command's name first.
        idle_seconds: the idle time after which the process ends.
        command: the module of the command in `compiled_plan.cli`.
    """

    key: str
    arguments: Sequence[str]
    idle_seconds: float
    command: str = "execute_plan"


def key_of(master: str, settings: Mapping[str, str]) -> str:
    """Fingerprint of the settings that are fixed once Spark has started in a process.

    Raises:
        ExecutionError: the current folder was removed.
    """
    mask = os.umask(0)
    os.umask(mask)
    environment = {name: value for name, value in os.environ.items() if name not in _PASSING}
    parts = [
        sys.executable,
        sys.path,
        str(working_folder()),
        mask,
        master,
        sorted(settings.items()),
        sorted(environment.items()),
        _code(),
    ]
    return hashlib.sha256(json.dumps(parts).encode(errors="surrogateescape")).hexdigest()


def _code() -> Sequence[tuple[str, int]]:
    """The product's files with their modification times: a process has loaded the code of its start."""
    home = Path(compiled_plan.__file__).parent
    files_of_code = []
    for name, folders, files in os.walk(home, followlinks=True):
        folders[:] = sorted(folder for folder in folders if folder not in _NO_CODE)
        files_of_code += [Path(name) / file for file in sorted(files) if file.endswith((".py", ".jar"))]
    return [(str(file), file.stat().st_mtime_ns) for file in files_of_code]


def folder() -> Path:
    """The folder of the socket, private to the user.

    Raises:
        ExecutionError: the folder cannot be created, belongs to another user, or is open to others.
    """
    place = _place()
    try:
        place.mkdir(mode=_OURS, parents=True, exist_ok=True)
        status = place.lstat()
    except OSError as fault:
        raise ExecutionError(
            f"cannot create {place}: {fault.strerror}", remedy="set XDG_RUNTIME_DIR to a folder of yours"
        ) from None
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise ExecutionError(
            f"{place} is not a private folder of this user",
            remedy="remove it, or leave --warm out",
        )
    return place


def _place() -> Path:
    """The first folder short enough for a socket path: XDG_RUNTIME_DIR, then temporary folders."""
    mine = f"compiled-plan-{os.getuid()}"
    base = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    places = [base / "compiled-plan"] if base.is_absolute() else []
    places += [Path(tempfile.gettempdir()) / mine, Path("/tmp") / mine]
    return next((place for place in places if len(os.fsencode(place / SOCKET)) <= _LONGEST), places[-1])


def send_request(to: socket.socket, request: Request) -> None:
    """Send a request with the command's standard streams."""
    socket.send_fds(to, [b"\0"], range(_STREAMS))
    send(to, asdict(request))


def receive_request(conversation: Conversation) -> tuple[Request, Sequence[int]]:
    """Receive a request and the command's standard streams, which the caller closes.

    Raises:
        EOFError: the command has gone, or its request is invalid.
    """
    _, streams, _, _ = socket.recv_fds(conversation.peer, 1, _STREAMS)
    try:
        if len(streams) == _STREAMS:
            return Request(**conversation.message()), streams
    except (EOFError, OSError, ValueError, TypeError):
        pass
    for stream in streams:
        os.close(stream)
    raise EOFError


def send(to: socket.socket, message: Mapping[str, object]) -> None:
    """Send a message as a line of JSON."""
    to.sendall(json.dumps(message).encode() + b"\n")


class Conversation:
    """The messages received from a peer."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self._messages = self._read()

    def message(self) -> dict[str, Any]:
        """Receive the next message.

        Raises:
            EOFError: the peer has gone.
        """
        for message in self._messages:
            return message
        raise EOFError

    def _read(self) -> Iterator[dict[str, object]]:
        received = b""
        while len(received) < _MOST_BYTES:
            line, end, rest = received.partition(b"\n")
            if end:
                received = rest
                yield json.loads(line)
                continue
            try:
                more = self.peer.recv(1 << 16)
            except ConnectionError:
                return
            if not more:
                return
            received += more
