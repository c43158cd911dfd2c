"""A server as a process of its own: started on a free port, awaited, stopped, killed, started again on its data.

A kind of server is a module of this package that holds its `SERVICE`; `services` finds them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

#: How long a server may take until it answers, and until it has ended, in seconds.
_STARTING, _STOPPING = 300.0, 20.0
_PR_SET_PDEATHSIG = 1
_ROOT = Path(__file__).resolve().parent.parent.parent


class ServiceError(Exception):
    """A server that does not start; the message says why and what to do."""


class Service:
    """A kind of server."""

    #: Its name in commands and folders.
    name: str

    def prepare(self, folder: Path) -> None:
        """Make the data of a new server, once a folder.

        Raises:
            ServiceError: what it needs is not there.
        """

    def command(self, folder: Path, port: int) -> Sequence[str]:
        """The command that starts it in the foreground."""
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        """Variables that it needs beside those of this process."""
        return {}

    def answers(self, port: int) -> bool:
        """Whether it can be used."""
        return listens(port)

    def address(self, port: int) -> str:
        """The address for programs, such as a URL."""
        return f"127.0.0.1:{port}"


class HttpService(Service):
    """A server of this package in a process of its own, which is ready once it answers a path."""

    path: str

    def environment(self) -> Mapping[str, str]:
        return {"PYTHONPATH": str(_ROOT)}

    def answers(self, port: int) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address(port)}{self.path}", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def address(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"


@dataclass(slots=True)
class Server:
    """One server with its data.

    Args:
        folder: for its data and its log; made where it is not there.
        port: where it listens, at every start; 0 chooses a free one.
        bound: whether it ends with the process that started it.
    """

    service: Service
    folder: Path
    port: int = 0
    bound: bool = True
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def address(self) -> str:
        """How programs find it."""
        return self.service.address(self.port)

    def start(self) -> Server:
        """Start it, and wait until it answers.

        Raises:
            ServiceError: it ended, or does not answer.
        """
        self.port = self.port or free_port()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.service.prepare(self.folder)
        log = self.folder / "log.txt"
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                list(self.service.command(self.folder, self.port)),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.service.environment()},
                start_new_session=True,
                preexec_fn=_end_with_parent if self.bound else None,
            )
        deadline = time.monotonic() + _STARTING
        while not self.service.answers(self.port):
            ended = self.process.poll() is not None
            if ended or time.monotonic() > deadline:
                said = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-20:])
                self.kill()
                raise ServiceError(
                    f"{self.service.name} {'ended' if ended else 'does not answer'}; {log} says:\n{said}"
                )
            time.sleep(0.05)
        return self

    def stop(self) -> None:
        """End it in its own way; kill it where that takes too long."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOPPING)
        self.kill()

    def kill(self) -> None:
        """End it at once, as a loss of power would; its data stays."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(_STOPPING)
        self.process = None


@contextmanager
def running(service: Service, folder: Path) -> Iterator[Server]:
    """A new server, stopped and removed at the end."""
    server = Server(service, folder)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def services() -> dict[str, Service]:
    """All kinds of servers, by name."""
    package: Any = import_module("tools.services")
    modules = (import_module(f"tools.services.{module.name}") for module in iter_modules(package.__path__))
    declared = [module.SERVICE for module in modules if hasattr(module, "SERVICE")]
    return {service.name: service for service in sorted(declared, key=lambda service: str(service.name))}


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether anybody does."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _end_with_parent() -> None:
    """Linux alone knows how; elsewhere a server that nobody stopped stays."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
