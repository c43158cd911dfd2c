"""Prometheus metrics of all pipelines, from the progress files of their runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from sqlalchemy import select

from compiled_plan.plans.telemetry.metrics import RunMetrics
from compiled_plan.plans.telemetry.progress_file import last_number
from compiled_plan.service.metrics.sizes import checkpoint_bytes
from compiled_plan.service.runs.endings import messages_since
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Status, Wanted

if TYPE_CHECKING:
    from compiled_plan.service.runs.supervisor import Supervisor
    from compiled_plan.service.store.database import Database


class Figures:
    """Metrics by pipeline, with the names of `execute-plan --metrics-port`; the label `plan` is the pipeline.

    Counters start at 0 with the service; Prometheus handles such resets.
    """

    def __init__(self, database: Database, runs: Supervisor) -> None:
        self._database, self._runs = database, runs
        self._lock = threading.Lock()
        self._seen: dict[int, int] = {}
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._registry = CollectorRegistry()
        self._metrics = RunMetrics(self._registry)
        self._state = Gauge(
            "compiled_plan_pipeline_state", "1 for the state of a pipeline", ["plan", "state"], registry=self._registry
        )
        self._crashes = Gauge("compiled_plan_pipeline_crashes", "Crashes in a row", ["plan"], registry=self._registry)
        size = "Size of the checkpoint's files"
        self._checkpoint = Gauge("compiled_plan_checkpoint_bytes", size, ["plan"], registry=self._registry)
        self._names: dict[int, str] = {}

    def text(self) -> bytes:
        """The metrics in Prometheus's text format."""
        wanted = (
            select(Pipeline.id, Pipeline.name, Status.state, Wanted.crashes)
            .join(Wanted)
            .outerjoin(Status, Status.pipeline_id == Pipeline.id)
        )
        with self._lock:
            with self._database.read() as session:
                rows = session.execute(wanted).all()
            names = {id_: name for id_, name, _, _ in rows}
            if any(names.get(id_) != name for id_, name in self._names.items()):
                self._begin_anew()  # Drop the metrics of a removed pipeline.
            self._names = names
            for id_, name, state, crashes in rows:
                self._take(id_, name)
                for possible in RunState:
                    self._state.labels(name, possible.value).set(possible == (state or RunState.NONE))
                is_alive = RunState(state or RunState.NONE).is_alive
                self._metrics.running.labels(name).set(is_alive)
                self._crashes.labels(name).set(crashes)
                if is_alive:
                    self._checkpoint.labels(name).set(checkpoint_bytes(self._runs.checkpoint(id_)))
                    if (figures := self._runs.recent.of(id_).figures) is not None:
                        self._metrics.show(name, figures)
            return generate_latest(self._registry)

    def _take(self, id_: int, name: str) -> None:
        file = self._runs.progress(id_)
        seen = self._seen.get(id_)
        if seen is None:
            seen = max(0, last_number(file) - 1)
        for message in messages_since(file, seen):
            seen = message["seq"]
            self._metrics.take(name, message)
        self._seen[id_] = seen
