"""Jobs that read the state of a pipeline: one at a time per pipeline, with progress, and cancelled on request."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.common.lanes import Lane
from compiled_plan.service.runs.asking import answer
from compiled_plan.service.runs.folders import read_json
from compiled_plan.service.store.errors import ConflictError

#: The maximum duration of a job in seconds, and the number of concurrent jobs, since each may start Spark.
PATIENCE, AT_ONCE = 1800.0, 2
_PROGRESS = "progress.json"

State = Literal["running", "done", "failed", "cancelled"]


@dataclass(eq=False)
class Job:
    """A job of a pipeline.

    Attributes:
        options: its options of `inspect-state`.
        state: running, done, failed or cancelled.
        result: the document of `inspect-state --json`.
        fault: the error of a failed job.
    """

    options: Sequence[str]
    state: State = "running"
    result: dict[str, Any] | None = None
    fault: CompiledPlanError | None = None
    _begun: float = field(default_factory=time.monotonic)
    _ended: float | None = None
    _process: subprocess.Popen[str] | None = None
    _folder: Path | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def seconds(self) -> float:
        """The duration until now or its end."""
        return (self._ended or time.monotonic()) - self._begun

    @property
    def tasks(self) -> tuple[int, int]:
        """The numbers of finished and of all known tasks of Spark; zeros before the first."""
        facts = (read_json(self._folder / _PROGRESS) if self._folder is not None else None) or {}
        return int(facts.get("done", 0)), int(facts.get("of", 0))

    def run(self, command: Sequence[str]) -> None:
        """Run the command until its end."""
        try:
            options = [*self.options, "--progress-file", f"{{{_PROGRESS}}}"]
            self.result = answer(command, options, {_PROGRESS: "{}"}, patience=PATIENCE, begun=self._watch)
            ended: State = "done"
        except CompiledPlanError as fault:
            self.fault, ended = fault, "failed"
        with self._guard:
            self.state = "cancelled" if self.state == "cancelled" else ended
            self._process, self._folder, self._ended = None, None, time.monotonic()

    def _watch(self, process: subprocess.Popen[str], folder: Path) -> None:
        with self._guard:
            self._process, self._folder = process, folder
            if self.state == "cancelled":
                process.send_signal(signal.SIGINT)

    def cancel(self) -> None:
        """Stop the command, which stops its tasks in Spark; nothing if the job has ended."""
        with self._guard:
            if self.state == "running":
                self.state = "cancelled"
                if self._process is not None:
                    self._process.send_signal(signal.SIGINT)


class StateJobs:
    """The last job of each pipeline.

    Args:
        command: the command that inspects state.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._jobs: dict[int, Job] = {}
        self._guard = threading.Lock()
        self._lane = Lane("a job that reads state", AT_ONCE)

    def begin(self, pipeline_id: int, options: Sequence[str]) -> Job:
        """Start a job.

        Raises:
            ConflictError: the pipeline's last job still runs.
            BusyError: too many jobs run.
        """
        with self._guard:
            last = self._jobs.get(pipeline_id)
            if last is not None and last.state == "running":
                raise ConflictError("the state of the pipeline is being read", remedy="wait for its end, or cancel it")
            taken = ExitStack()
            taken.enter_context(self._lane.place())
            job = self._jobs[pipeline_id] = Job(options)

        def run() -> None:
            with taken:
                job.run(self._command)

        threading.Thread(target=run, name="state", daemon=True).start()
        return job

    def last(self, pipeline_id: int) -> Job | None:
        """The last job of a pipeline; None if there was none since the service started."""
        return self._jobs.get(pipeline_id)

    def close(self) -> None:
        """Cancel all jobs."""
        for job in list(self._jobs.values()):
            job.cancel()
