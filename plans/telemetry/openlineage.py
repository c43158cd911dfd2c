"""Delivery of OpenLineage's events of a run, beside the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.listeners import Message

if TYPE_CHECKING:
    from openlineage.client.event_v2 import RunEvent

    from compiled_plan.plans.telemetry.openlineage_events import LineageJob

#: Minimum interval of RUNNING events, in seconds.
EVERY = 300.0
#: Seconds that the end of a run waits for pending events.
_PATIENCE = 10.0


class Lineage:
    """Sends the events of a run named `name`; if that fails, the run continues, and `warn` is called once.

    `target` is a URL, `http://marquez:5000`, or a file, to which events are appended, one per line. The environment's
    `OPENLINEAGE_API_KEY` is the key for the API. Raises an ExecutionError if the library is not installed, or the file
    cannot be written.
    """

    def __init__(self, target: str, plan: CompiledPlan, name: str, warn: Callable[[str], None]) -> None:
        self._target, self._warn, self._warned = target, warn, False
        try:
            from compiled_plan.plans.telemetry import openlineage_events

            self._events = openlineage_events
        except ModuleNotFoundError:
            raise ExecutionError(
                "--lineage needs openlineage-python", remedy="pip install 'compiled-plan[lineage]'"
            ) from None
        self._client = self._events.client_of(target)
        self._plan, self._name = plan, name
        self._job: LineageJob | None = None
        self._sent = 0.0
        self._sender = ThreadPoolExecutor(1, thread_name_prefix="lineage")
        self._waiting = 0

    def tell(self, message: Message) -> None:
        """Send the event for a message, if there is one."""
        event, at = message["event"], message["at"]
        if event == "start":
            self._job = self._events.job_of(self._plan, self._name, bounded=message["bounded"])
            self._send("START", at)
        elif event == "batch" and time.monotonic() - self._sent >= EVERY:
            self._send("RUNNING", at)
        elif event == "end":
            self._send("ABORT" if message["stopped"] else "COMPLETE", at)
        elif event == "failed":
            self._job = self._job or self._events.job_of(self._plan, self._name, bounded=False)
            self._send("FAIL", at, message["message"])

    def _send(self, state: str, at: str, fault: str = "") -> None:
        if self._job is None:
            return
        self._sent = time.monotonic()
        event = self._events.event_of(self._job, state, at, fault)
        self._sender.submit(self._emit, event)

    def _emit(self, event: RunEvent) -> None:
        try:
            self._client.emit(event)
        except Exception as fault:
            if not self._warned:
                self._warned = True
                self._warn(f"lineage: {self._target} does not take events: {_short(fault)}")

    def close(self) -> None:
        """Wait a while for pending events."""
        wait([self._sender.submit(lambda: None)], _PATIENCE)
        self._sender.shutdown(wait=False, cancel_futures=True)


def _short(fault: Exception) -> str:
    return (str(fault).splitlines() or [type(fault).__name__])[0][:200]
