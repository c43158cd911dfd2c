"""Progress of jobs: their state, duration and error."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from compiled_plan.plans.errors import CompiledPlanError

State = Literal["waiting", "running", "done", "failed", "cancelled"]


@dataclass(eq=False, kw_only=True)
class Progress:
    """The progress of a job.

    Attributes:
        state: waiting for its turn, running, done, failed or cancelled.
        fault: the error of a failed job.
    """

    state: State = "running"
    fault: CompiledPlanError | None = None
    _begun: float = field(default_factory=time.monotonic)
    _ended: float | None = None

    @property
    def seconds(self) -> float:
        """The duration until now or its end."""
        return (self._ended or time.monotonic()) - self._begun

    @property
    def is_over(self) -> bool:
        """Return True if the job has ended, or is to end."""
        return self.state not in ("waiting", "running")

    @property
    def has_ended(self) -> bool:
        """Return True if the job has ended: a cancelled one works until then."""
        return self._ended is not None

    def finish(self, fault: CompiledPlanError | None) -> None:
        """End the job, with an error or without; a cancelled one stays cancelled."""
        self._ended = time.monotonic()
        if self.state != "cancelled":
            self.fault = fault
            self.state = "done" if fault is None else "failed"
