"""Workers, and who waits for one."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from hashlib import sha256
from typing import Any

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.service.common.lanes import BusyError, Lane
from compiled_plan.service.common.settings import Limits

Json = Any
_LOG = logging.getLogger(__name__)
#: How long a worker may take to load, in seconds: the machine may be busy.
_START = 120.0
_CHUNK = 1 << 20
#: Answers that are kept: plans do not change, and their drawings are asked for again and again.
_KEPT = 256


class Refusal(CompiledPlanError):
    """What a worker refused."""


class _Worker:
    """One process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "compiled_plan.service.workers.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that it is ended with the copy that works
        )
        self._rest = b""
        self.is_ready = False

    def ask(self, request: bytes, seconds: float) -> Json:
        """The answer.

        Raises:
            TimeoutError: it takes longer.
            OSError: the process has ended.
        """
        if not self.is_ready:
            self._line(time.monotonic() + _START)
            self.is_ready = True
        assert self.process.stdin is not None
        self.process.stdin.write(request + b"\n")
        self.process.stdin.flush()
        return json.loads(self._line(time.monotonic() + seconds))

    def _line(self, until: float) -> bytes:
        assert self.process.stdout is not None
        file = self.process.stdout.fileno()
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not select.select([file], [], [], left)[0]:
                raise TimeoutError
            got = os.read(file, _CHUNK)
            if not got:
                raise OSError("the worker has ended")
            parts.append(got)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def end(self) -> None:
        """End it, with what it is doing."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


#: Tasks on what somebody gives. Those on plans of the registry have workers of their own, which are free sooner.
_GIVEN = ("compile", "read", "check")


class _Lane(Lane):
    """Workers of one kind, started when they are first needed, and who waits for them."""

    def __init__(self, workers: int, waiting: int) -> None:
        super().__init__("a worker", workers + waiting)
        self.free: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(workers):
            self.free.put(None)


class Workers:
    """A number of workers that requests take turns with.

    Args:
        limits: how many there are, and what a task may take.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._given = _Lane(limits.compile_workers, limits.waiting)
        self._stored = _Lane(limits.view_workers, limits.waiting)
        self._answers: OrderedDict[str, Json] = OrderedDict()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def places(self) -> int:
        """How many requests may wait for the workers at once."""
        return self._given.places + self._stored.places

    def run(self, task: str, **arguments: Any) -> Json:
        """Carry a task out in a worker.

        Args:
            task: its name, see `service.workers.tasks`.

        Raises:
            Refusal: the task's refusal, with its fields.
            ProgramError: it takes longer, or more memory, than it may.
            BusyError: no worker is free for as long as a task may take, or too many wait.
        """
        request = json.dumps(
            {
                "task": task,
                "arguments": arguments,
                "seconds": self._limits.compile_seconds,
                "memory": self._limits.compile_memory,
            }
        ).encode()
        lane = self._given if task in _GIVEN else self._stored
        with lane.place():
            return _found(task, self._asked(lane, task, request))

    def _asked(self, lane: _Lane, task: str, request: bytes) -> Json:
        try:
            worker = lane.free.get(timeout=self._limits.compile_seconds)
        except queue.Empty:
            raise BusyError("all workers are busy", remedy="try again in a moment") from None
        try:
            if worker is None:
                worker = _Worker()
            return worker.ask(request, self._limits.compile_seconds)
        except TimeoutError:
            worker = self._ended(worker)
            raise ProgramError(
                f"this takes longer than {self._limits.compile_seconds:g} s, and was ended",
                where=task,
                remedy="cut the program into parts, or ask the operator for more (limits.compile_seconds)",
            ) from None
        except OSError as fault:
            worker = self._ended(worker)
            raise ProgramError(f"the worker ended: {fault}", where=task, remedy="try again") from None
        except BaseException:
            worker = self._ended(worker)
            raise
        finally:
            lane.free.put(self._ended(worker) if self._closed else worker)

    def run_once(self, task: str, **arguments: Any) -> Json:
        """As `run`, of a task that gives the same for the same arguments: done once, and kept for a while."""
        key = sha256(json.dumps([task, arguments], sort_keys=True).encode()).hexdigest()
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        answer = self.run(task, **arguments)
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
        return answer

    @staticmethod
    def _ended(worker: _Worker | None) -> None:
        if worker is not None:
            worker.end()

    def close(self) -> None:
        """End the workers; those that work are ended when they are done."""
        self._closed = True
        for lane in (self._given, self._stored):
            with contextlib.suppress(queue.Empty):
                while True:
                    self._ended(lane.free.get_nowait())


def _found(task: str, answer: Json) -> Json:
    if "found" in answer:
        return answer["found"]
    if "refused" in answer:
        raise Refusal(**answer["refused"])
    if "died" in answer:
        raise ProgramError(
            f"the process ended with code {answer['died']}: it took more time or memory than it may",
            where=task,
            remedy="cut the program into parts",
        )
    raise RuntimeError(f"{task}: {answer.get('broken')}")
