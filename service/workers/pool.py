"""The pool of worker processes."""

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
from collections.abc import Callable
from hashlib import sha256
from typing import ParamSpec, TypedDict, TypeVar, cast

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.service.common.lanes import BusyError, Lane
from compiled_plan.service.common.settings import Limits
from compiled_plan.service.workers.tasks import TaskName
from compiled_plan.service.workers.tasks.refusals import RefusalFields

P = ParamSpec("P")
R = TypeVar("R")
_LOG = logging.getLogger(__name__)
#: The start timeout of a worker in seconds, generous for a busy machine.
_START = 120.0
_CHUNK = 1 << 20
#: The number of cached answers, since plans are immutable and their graphs are requested repeatedly.
_CACHED = 256


class Answer(TypedDict, total=False):
    """An answer of a worker: one of its keys, by the way in which the request ended."""

    result: object
    progress: object
    refused: RefusalFields
    broken: str
    died: int
    full: bool


class Refusal(CompiledPlanError):
    """The error of a task in a worker."""


class Worker:
    """A worker process.

    Args:
        module: its module in this package.
        arguments: its arguments.
    """

    def __init__(self, module: str = "worker", *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"compiled_plan.service.workers.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # So that `end` kills its forked child, too.
        )
        self._rest = b""
        self.is_ready = False

    def ask(self, request: bytes, seconds: float, progress: Callable[[object], None] | None = None) -> Answer:
        """Send a request, and return the answer.

        Args:
            request: a line of JSON.
            seconds: the timeout.
            progress: called with the progress that precedes the answer.

        Raises:
            TimeoutError: there is no answer in time.
            OSError: the process has ended.
        """
        if not self.is_ready:
            self._line(time.monotonic() + _START)
            self.is_ready = True
        assert self.process.stdin is not None
        self.process.stdin.write(request + b"\n")
        self.process.stdin.flush()
        until = time.monotonic() + seconds
        answer: Answer = json.loads(self._line(until))
        while "progress" in answer:
            if progress is not None:
                progress(answer["progress"])
            answer = json.loads(self._line(until))
        return answer

    def _line(self, until: float) -> bytes:
        assert self.process.stdout is not None
        file = self.process.stdout.fileno()
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not select.select([file], [], [], left)[0]:
                raise TimeoutError
            chunk = os.read(file, _CHUNK)
            if not chunk:
                raise OSError("the worker has ended")
            parts.append(chunk)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def kill(self) -> None:
        """Kill the process and its current task; a thread in `ask` gets an OSError."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process and its current task, and release its resources."""
        self.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class _Lane(Lane):
    """Workers of one kind, started at their first use."""

    def __init__(self, workers: int, waiting: int) -> None:
        super().__init__("a worker", workers + waiting)
        self.free: queue.LifoQueue[Worker | None] = queue.LifoQueue()
        for _ in range(workers):
            self.free.put(None)


class Workers:
    """A pool of workers.

    Args:
        limits: the number of workers, and the limits of a task.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._submitted = _Lane(limits.compile_workers, limits.waiting)
        self._stored = _Lane(limits.view_workers, limits.waiting)
        self._answers: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def places(self) -> int:
        """The maximum number of running and waiting requests."""
        return self._submitted.places + self._stored.places

    def run(self, task: Callable[P, R], *_: P.args, **arguments: P.kwargs) -> R:
        """Run a task in a worker.

        Args:
            task: a function of a module in `service.workers.tasks`.
            arguments: its arguments.

        Raises:
            Refusal: the task raised a product error.
            ProgramError: the task exceeds its time or memory limit.
            BusyError: no worker became free within the time limit of a task, or too many requests wait.
        """
        name = TaskName.of(task)
        request = json.dumps(
            {
                "task": name,
                "arguments": arguments,
                "seconds": self._limits.compile_seconds,
                "memory": self._limits.compile_memory,
            }
        ).encode()
        lane = self._submitted if name.is_on_submitted else self._stored
        with lane.place():
            return cast(R, _result(str(name), self._answer(lane, str(name), request)))

    def _answer(self, lane: _Lane, task: str, request: bytes) -> Answer:
        try:
            worker = lane.free.get(timeout=self._limits.compile_seconds)
        except queue.Empty:
            raise BusyError("all workers are busy", remedy="try again in a moment") from None
        try:
            if worker is None:
                worker = Worker()
            return worker.ask(request, self._limits.compile_seconds)
        except TimeoutError:
            worker = self._ended(worker)
            raise ProgramError(
                f"the task exceeded {self._limits.compile_seconds:g} s, and was killed",
                where=task,
                remedy="split the program, or ask the operator to raise limits.compile_seconds",
            ) from None
        except OSError as fault:
            worker = self._ended(worker)
            raise ProgramError(f"the worker ended: {fault}", where=task, remedy="try again") from None
        except BaseException:
            worker = self._ended(worker)
            raise
        finally:
            lane.free.put(self._ended(worker) if self._closed else worker)

    def run_once(self, task: Callable[P, R], *_: P.args, **arguments: P.kwargs) -> R:
        """As `run`, with a cache of answers; for deterministic tasks."""
        key = sha256(json.dumps([TaskName.of(task), arguments], sort_keys=True).encode()).hexdigest()
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return cast(R, self._answers[key])
        answer = self.run(task, *_, **arguments)
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > _CACHED:
                self._answers.popitem(last=False)
        return answer

    @staticmethod
    def _ended(worker: Worker | None) -> None:
        if worker is not None:
            worker.end()

    def close(self) -> None:
        """End idle workers now, and busy ones after their task."""
        self._closed = True
        for lane in (self._submitted, self._stored):
            with contextlib.suppress(queue.Empty):
                while True:
                    self._ended(lane.free.get_nowait())


def _result(task: str, answer: Answer) -> object:
    if "result" in answer:
        return answer["result"]
    if "refused" in answer:
        raise Refusal(**answer["refused"])
    if "died" in answer:
        raise ProgramError(
            f"the process ended with code {answer['died']}: it exceeded its time or memory limit",
            where=task,
            remedy="split the program",
        )
    raise RuntimeError(f"{task}: {answer.get('broken')}")
