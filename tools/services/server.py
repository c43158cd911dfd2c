"""Servers as processes: start on a free port, wait until ready, stop, kill, restart with the same data.

A kind of server is a module of this package that declares its `SERVICE`; `services` collects them.
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

#: Timeouts for the start and the stop of a server, in seconds.
_STARTING, _STOPPING = 300.0, 20.0
_PR_SET_PDEATHSIG = 1
_ROOT = Path(__file__).resolve().parent.parent.parent


class ServiceError(Exception):
    """A server does not start; the message has the reason and the remedy."""


class Service:
    """A kind of server."""

    #: The name in commands and folders.
    name: str

    def prepare(self, folder: Path) -> None:
        """Initialize the data of a new server, once per folder.

        Raises:
            ServiceError: a requirement is missing.
        """

    def command(self, folder: Path, port: int) -> Sequence[str]:
        """The command that starts the server in the foreground."""
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        """Additional environment variables."""
        return {}

    def answers(self, port: int) -> bool:
        """Return True if the server is ready."""
        return listens(port)

    def address(self, port: int) -> str:
        """The address for clients, such as a URL."""
        return f"127.0.0.1:{port}"


class HttpService(Service):
    """A server of this package as a process, ready once it answers a path."""

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
        folder: for its data and its log; created if missing.
        port: its port at every start; 0 selects a free one.
        bound: True if it ends with the process that started it.
    """

    service: Service
    folder: Path
    port: int = 0
    bound: bool = True
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def address(self) -> str:
        """The address for clients."""
        return self.service.address(self.port)

    def start(self) -> Server:
        """Start the server, and wait until it is ready.

        Raises:
            ServiceError: the process ended, or does not become ready.
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
                log_end = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-20:])
                self.kill()
                raise ServiceError(
                    f"{self.service.name} {'ended' if ended else 'does not answer'}; {log} says:\n{log_end}"
                )
            time.sleep(0.05)
        return self

    def stop(self) -> None:
        """Stop the server gracefully; kill it after a timeout."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOPPING)
        self.kill()

    def kill(self) -> None:
        """Kill the server immediately, as a power failure would; its data remains."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(_STOPPING)
        self.process = None


@contextmanager
def running(service: Service, folder: Path) -> Iterator[Server]:
    """Run a new server, and remove it at the end of the block."""
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
    """An unused local port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Return True if a process listens on the port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _end_with_parent() -> None:
    """Terminate this process with its parent. Only on Linux; elsewhere a server keeps running if not stopped."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
