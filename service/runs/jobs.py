"""Jobs that read state or rows: one at a time per owner, with progress, and cancelled on request."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.common.lanes import Lane
from compiled_plan.service.common.progress import Progress
from compiled_plan.service.runs.asking import answer
from compiled_plan.service.runs.folders import read_json
from compiled_plan.service.store.errors import ConflictError

#: The maximum duration of a job in seconds, and the number of concurrent jobs, since each may start Spark.
PATIENCE, AT_ONCE = 1800.0, 2
_PROGRESS = "progress.json"


@dataclass(eq=False)
class Job(Progress):
    """A command that answers with a JSON document.

    Attributes:
        options: its options; `{name}` is replaced by the path of that file.
        files: temporary files for the command, by name; see `answer`.
        secrets: texts to mask in its error.
        result: its document.
    """

    options: Sequence[str]
    files: Mapping[str, str | None] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    result: dict[str, object] | None = None
    _process: subprocess.Popen[str] | None = None
    _folder: Path | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def progress(self) -> Path | None:
        """The progress file of the command; None unless it runs."""
        return None if self._folder is None else self._folder / _PROGRESS

    @property
    def tasks(self) -> tuple[int, int]:
        """The progress: the numbers of finished and of all units of work; zeros before the first."""
        facts = (None if self.progress is None else read_json(self.progress)) or {}
        return int(facts.get("done", 0)), int(facts.get("of", 0))

    def run(self, command: Sequence[str], patience: float) -> None:
        """Run the command until its end."""
        fault: CompiledPlanError | None = None
        try:
            options = [*self.options, "--progress-file", f"{{{_PROGRESS}}}"]
            files = {**self.files, _PROGRESS: "{}"}
            self.result = answer(command, options, files, patience, self._watch, self.read_last)
        except CompiledPlanError as error:
            fault = error
        with self._guard:
            self.finish(fault)
            self._process, self._folder = None, None

    def read_last(self) -> None:
        """Read what remains of the files of the command after its end."""

    def _watch(self, process: subprocess.Popen[str], folder: Path) -> None:
        with self._guard:
            self._process, self._folder = process, folder
            if self.state == "cancelled":
                process.send_signal(signal.SIGINT)

    def cancel(self) -> None:
        """Stop the command, which stops its tasks in Spark; nothing if the job has ended."""
        with self._guard:
            if not self.is_over:
                self.state = "cancelled"
                if self._process is not None:
                    self._process.send_signal(signal.SIGINT)


class Jobs:
    """The last job of each owner, such as a pipeline.

    Args:
        what: the kind of jobs, for messages.
        command: the command of the jobs.
        patience: the maximum duration of a job in seconds.
    """

    def __init__(self, what: str, command: Sequence[str], patience: float = PATIENCE) -> None:
        self._what, self._command, self._patience = what, command, patience
        self._jobs: dict[Hashable, Job] = {}
        self._guard = threading.Lock()
        self._lane = Lane(what, AT_ONCE)

    def begin(self, owner: Hashable, job: Job) -> Job:
        """Start a job.

        Raises:
            ConflictError: the owner's last job still runs.
            BusyError: too many jobs run.
        """
        with self._guard:
            last = self._jobs.get(owner)
            if last is not None and not last.is_over:
                raise ConflictError(f"{self._what} runs already", remedy="wait for its end, or cancel it")
            taken = ExitStack()
            taken.enter_context(self._lane.place())
            self._jobs[owner] = job

        def run() -> None:
            with taken:
                job.run(self._command, self._patience)

        threading.Thread(target=run, name="job", daemon=True).start()
        return job

    def last(self, owner: Hashable) -> Job | None:
        """The last job of an owner; None if there was none since the service started."""
        return self._jobs.get(owner)

    def close(self) -> None:
        for job in list(self._jobs.values()):
            job.cancel()
