"""Jobs that run programs without a query, for tests and examples of a change: one at a time, bounded, cancellable."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, ProgramError
from compiled_plan.service.common.lanes import Lane
from compiled_plan.service.common.progress import Progress
from compiled_plan.service.common.settings import Limits
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.workers.pool import Answer, Worker

#: The number of jobs whose results are retained.
_RETAINED = 50


@dataclass(eq=False)
class TestJob(Progress):
    """A run of tests, or a search of examples.

    Attributes:
        owner: the name of the client's token.
        results: the results of the finished tests, see `api.testing.reporting.document`; of a search the examples.
        tests: the number of all results; 0 while the program is compiled.
    """

    __test__ = False

    owner: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    results: list[object] = field(default_factory=list)
    tests: int = 0


class TestJobs:
    """The jobs of all clients, one at a time of each, and the process that runs them.

    Args:
        limits: the limits of a job.
        idle_seconds: the time after which an unused process ends with its Java.
    """

    __test__ = False

    def __init__(self, limits: Limits, idle_seconds: float = 300) -> None:
        self._limits, self._idle_seconds = limits, idle_seconds
        self._jobs: OrderedDict[str, TestJob] = OrderedDict()
        self._lane = Lane("tests", 1 + limits.waiting)
        self._turn, self._guard = threading.Lock(), threading.Lock()
        self._worker: Worker | None = None
        self._running: TestJob | None = None
        self._idle: threading.Timer | None = None
        self._closed = False

    def begin(self, owner: str, request: Callable[[], tuple[int, Mapping[str, object]]]) -> TestJob:
        """Start a job.

        Args:
            owner: the client.
            request: compiles the programs; the number of results, and the request, see `workers.testing`.

        Raises:
            ConflictError: a job of the client has not ended.
            BusyError: too many jobs wait.
        """
        job, taken = TestJob(owner, state="waiting"), ExitStack()
        with self._guard:
            if any(item.owner == owner and not item.is_over for item in self._jobs.values()):
                raise ConflictError("tests run already", remedy="wait for their end, or cancel them")
            taken.enter_context(self._lane.place())
            self._jobs[job.id] = job
            while len(self._jobs) > _RETAINED:
                self._jobs.popitem(last=False)

        def run() -> None:
            with taken, self._turn:
                self._run(job, request)

        threading.Thread(target=run, name="tests", daemon=True).start()
        return job

    def find(self, id_: str, owner: str) -> TestJob | None:
        """The job of a client; None if there is none, or it is too old."""
        job = self._jobs.get(id_)
        return job if job is not None and job.owner == owner else None

    def cancel(self, job: TestJob) -> None:
        """Cancel a job, and end its process; nothing if the job has ended."""
        with self._guard:
            if not job.is_over:
                job.state = "cancelled"
                if self._running is job and self._worker is not None:
                    self._worker.kill()

    def close(self) -> None:
        """Cancel all jobs, and end the process."""
        with self._guard:
            self._closed = True
            for job in self._jobs.values():
                if not job.is_over:
                    job.state = "cancelled"
            if self._running is not None and self._worker is not None:
                self._worker.kill()  # Its thread releases it.
            else:
                self._end_worker()

    def _run(self, job: TestJob, request: Callable[[], tuple[int, Mapping[str, object]]]) -> None:
        fault: CompiledPlanError | None = None
        try:
            job.tests, message = (0, {}) if job.is_over else request()
            worker = self._worker_for(job)
            if worker is not None:
                text = json.dumps(message).encode()
                self._take(job, worker.ask(text, self._limits.test_seconds, job.results.append))
        except CompiledPlanError as error:
            fault = error
        except TimeoutError:
            fault = ProgramError(
                f"the tests exceeded {self._limits.test_seconds:g} s, and were stopped",
                remedy="shorten them, or ask the operator to raise limits.test_seconds",
            )
        except (OSError, RuntimeError, ValueError) as error:
            fault = ExecutionError(f"the process of the tests ended: {error}", remedy="try again")
        finally:
            self._release(job, fault)

    def _take(self, job: TestJob, answer: Answer) -> None:
        if "full" in answer:
            raise ProgramError(
                "the tests exceeded the limit on memory, and were stopped",
                remedy="use smaller values, or ask the operator to raise limits.test_memory",
            )
        if "refused" in answer:
            raise ExecutionError(**answer["refused"])
        if "broken" in answer:
            raise ExecutionError(f"the tests ended with an error: {answer['broken']}", remedy="report it")

    def _worker_for(self, job: TestJob) -> Worker | None:
        """The process for a job; None if the job was cancelled."""
        with self._guard:
            if self._idle is not None:
                self._idle.cancel()
            if job.is_over or self._closed:
                return None
            if self._worker is not None and self._worker.process.poll() is not None:
                self._end_worker()
            if self._worker is None:
                self._worker = Worker("testing", str(self._limits.test_memory))
            self._running, job.state = job, "running"
            return self._worker

    def _release(self, job: TestJob, fault: CompiledPlanError | None) -> None:
        with self._guard:
            job.finish(fault)
            unfit = self._running is job and job.state != "done"
            self._running = None
            if unfit or self._closed:
                self._end_worker()
            elif self._worker is not None:
                self._idle = threading.Timer(self._idle_seconds, self._end_idle)
                self._idle.daemon = True
                self._idle.start()

    def _end_idle(self) -> None:
        with self._guard:
            if self._running is None:
                self._end_worker()

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None
