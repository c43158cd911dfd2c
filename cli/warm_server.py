"""The warm process: keep Spark, and run commands one after another as if each had its own process.

It ends after the idle time of the last command, when a command needs a different process, when Spark is lost, when its
owner has ended, and when a command is killed, together with its run.
"""

from __future__ import annotations

import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module

from compiled_plan.cli.common.terminal import ExitCode, console, run_app
from compiled_plan.cli.warm.meeting import BUSY, OTHER, TAKEN, Conversation, Request, receive_request, send
from compiled_plan.commands.interrupts import ENDING, code_of
from compiled_plan.plans.execution.session.kept import OWNER, Keeper, kept_session

_SECONDS_TO_ASK = 10.0
#: The interval in seconds at which an idle process with an owner looks for it.
_SECONDS_TO_LOOK = 1.0
#: Exit codes of stopped runs; tasks that may continue in Spark end with the process.
_STOPPED = tuple(map(code_of, ENDING))


@dataclass(eq=False)
class WarmJob:
    """A command that runs in this process."""

    request: Request
    streams: Sequence[int]
    conversation: Conversation
    over: bool = False
    guard: threading.Lock = field(default_factory=threading.Lock)

    def heed(self) -> None:
        """Repeat the command's signals in this process until the command ends."""
        with suppress(EOFError):
            while True:
                number = self.conversation.message()["signal"]
                with self.guard:
                    if not self.over:
                        os.kill(os.getpid(), number)
        with self.guard:
            if not self.over:
                _end_at_once()

    def end(self, code: int) -> None:
        """Send the exit code to the command."""
        with self.guard:
            self.over = True
        with suppress(OSError):
            send(self.conversation.peer, {"exit": code})
            self.conversation.peer.shutdown(socket.SHUT_RDWR)


def _end_at_once() -> None:
    """Kill the run of a killed command."""
    from compiled_plan.plans.execution.session.stopping import kill_spark

    kill_spark()
    os._exit(ExitCode.FAILED)


class Server:
    """Accept commands, and run one at a time."""

    def __init__(self, listening: socket.socket, key: str) -> None:
        self._listening, self._key = listening, key
        self._jobs: queue.SimpleQueue[WarmJob | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._busy = self._ended = False

    def serve(self, keeper: Keeper) -> None:
        """Run commands until the idle time has passed."""
        threading.Thread(target=self._take, daemon=True).start()
        idle = _SECONDS_TO_ASK
        while (job := self._next(idle)) is not None:
            threading.Thread(target=job.heed, daemon=True).start()
            idle = job.request.idle_seconds
            code = _run(job)
            fit = keeper.is_fit and code not in _STOPPED
            with self._guard:
                self._busy, self._ended = False, not fit
            job.end(code)
            if not fit:
                return

    def _next(self, idle: float) -> WarmJob | None:
        until = time.monotonic() + idle
        while (left := until - time.monotonic()) > 0 and _has_owner():
            with suppress(queue.Empty):
                return self._jobs.get(timeout=min(left, _SECONDS_TO_LOOK) if OWNER in os.environ else left)
        with self._guard:
            if not self._busy:
                self._ended = True
                return None
        return self._jobs.get()

    def _take(self) -> None:
        while True:
            peer, _ = self._listening.accept()
            peer.settimeout(_SECONDS_TO_ASK)
            conversation = Conversation(peer)
            try:
                request, streams = receive_request(conversation)
            except (OSError, EOFError):
                peer.close()
                continue
            self._answer(conversation, request, streams)

    def _answer(self, conversation: Conversation, request: Request, streams: Sequence[int]) -> None:
        with self._guard:
            answer = BUSY if self._busy else TAKEN if request.key == self._key and not self._ended else OTHER
            self._busy = self._busy or answer == TAKEN
            self._ended = self._ended or answer == OTHER
        conversation.peer.settimeout(None)
        # If the command has gone, its job detects it.
        with suppress(OSError):
            send(conversation.peer, {"answer": answer})
        if answer == TAKEN:
            self._jobs.put(WarmJob(request, streams, conversation))
            return
        for stream in streams:
            os.close(stream)
        conversation.peer.close()
        if answer == OTHER:
            self._jobs.put(None)


def _has_owner() -> bool:
    """Return False if the owner has ended."""
    try:
        os.kill(int(os.environ.get(OWNER, os.getpid())), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def _run(job: WarmJob) -> int:
    """Run a command with the streams and arguments of its process."""
    app = import_module(f"compiled_plan.cli.{job.request.command}").app
    own = [os.dup(number) for number in range(len(job.streams))]
    _use_streams(job.streams)
    sys.argv = list(job.request.arguments)
    try:
        run_app(app)
        return ExitCode.OK
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else ExitCode.OK
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        _use_streams(own)


def _use_streams(streams: Sequence[int]) -> None:
    """Replace stdin, stdout and stderr by duplicates of these streams, and close the originals."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering=1 if os.isatty(1) else -1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    console.cache_clear()


def main(socket_number: str, key: str) -> None:
    """Serve until the idle time has passed.

    Args:
        socket_number: the inherited file descriptor of the listening socket.
        key: the fingerprint of this process, see `meeting.key_of`.
    """
    with kept_session() as keeper:
        Server(socket.socket(fileno=int(socket_number)), key).serve(keeper)
