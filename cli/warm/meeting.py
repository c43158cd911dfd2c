"""Where a command and the process that kept Spark meet, and what they tell each other.

They meet at a socket in a folder of the user's own. The command sends a `Request` with its standard streams, and then
the signals that it gets, as `{"signal": number}`. It is answered `{"answer": ...}` at once and `{"exit": code}` at the
end; a message is a line of JSON. Where one of the two is gone, the other one reads an end.
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

#: What a process that kept Spark answers: it runs the command, it runs another one, it is for other ones and ends.
TAKEN, BUSY, OTHER = "taken", "busy", "other"

#: What differs from command to command and means nothing to a run.
_PASSING = frozenset({"_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES", "PYTEST_CURRENT_TEST"})
_NO_CODE = frozenset({"__pycache__", "src", "node_modules"})
_MOST_BYTES = 1 << 24
_STREAMS = 3
_OURS = 0o700
#: The name of the socket in its folder; the bytes that all systems take for its path.
SOCKET, _LONGEST = "socket", 100


@dataclass(frozen=True, slots=True)
class Request:
    """What a command hands over.

    Args:
        key: what it needs of the process, see `key_of`.
        arguments: its own, with its name in front.
        idle_seconds: how long Spark is kept for the next one.
    """

    key: str
    arguments: Sequence[str]
    idle_seconds: float


def key_of(master: str, settings: Mapping[str, str]) -> str:
    """A digest of all that a process cannot change once Spark has started in it.

    Raises:
        ExecutionError: the current folder was removed.
    """
    mask = os.umask(0)
    os.umask(mask)
    environment = {name: value for name, value in os.environ.items() if name not in _PASSING}
    told = [
        sys.executable,
        sys.path,
        str(working_folder()),
        mask,
        master,
        sorted(settings.items()),
        sorted(environment.items()),
        _code(),
    ]
    return hashlib.sha256(json.dumps(told).encode(errors="surrogateescape")).hexdigest()


def _code() -> Sequence[tuple[str, int]]:
    """The product's files and their times: a process has the code of its start."""
    home = Path(compiled_plan.__file__).parent
    found = []
    for name, folders, files in os.walk(home, followlinks=True):
        folders[:] = sorted(each for each in folders if each not in _NO_CODE)
        found += [Path(name) / each for each in sorted(files) if each.endswith((".py", ".jar"))]
    return [(str(each), each.stat().st_mtime_ns) for each in found]


def folder() -> Path:
    """The folder of the meeting, which none but the user may enter.

    Raises:
        ExecutionError: it cannot be made, is another user's, or open to others.
    """
    place = _place()
    try:
        place.mkdir(mode=_OURS, parents=True, exist_ok=True)
        found = place.lstat()
    except OSError as fault:
        raise ExecutionError(
            f"{place} cannot be made: {fault.strerror}", remedy="set XDG_RUNTIME_DIR to a folder of yours"
        ) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise ExecutionError(
            f"{place} is not a folder that only this user may enter",
            remedy="remove it, or leave --warm out",
        )
    return place


def _place() -> Path:
    """Where the user's own files of a session belong, else among temporary files: the first that a socket can have."""
    mine = f"compiled-plan-{os.getuid()}"
    base = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    places = [base / "compiled-plan"] if base.is_absolute() else []
    places += [Path(tempfile.gettempdir()) / mine, Path("/tmp") / mine]
    return next((each for each in places if len(os.fsencode(each / SOCKET)) <= _LONGEST), places[-1])


def send_request(to: socket.socket, request: Request) -> None:
    """Send what a command hands over, with its standard streams."""
    socket.send_fds(to, [b"\0"], range(_STREAMS))
    send(to, asdict(request))


def receive_request(conversation: Conversation) -> tuple[Request, Sequence[int]]:
    """What a command hands over, and its streams, which are the caller's to close.

    Raises:
        EOFError: it is gone, or says what no command says.
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


def send(to: socket.socket, message: Mapping[str, Any]) -> None:
    """Send a message."""
    to.sendall(json.dumps(message).encode() + b"\n")


class Conversation:
    """The messages that come from a peer."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self._messages = self._read()

    def message(self) -> dict[str, Any]:
        """The next one.

        Raises:
            EOFError: there is none; the peer is gone.
        """
        for message in self._messages:
            return message
        raise EOFError

    def _read(self) -> Iterator[dict[str, Any]]:
        kept = b""
        while len(kept) < _MOST_BYTES:
            line, end, rest = kept.partition(b"\n")
            if end:
                kept = rest
                yield json.loads(line)
                continue
            try:
                more = self.peer.recv(1 << 16)
            except ConnectionError:
                return
            if not more:
                return
            kept += more
