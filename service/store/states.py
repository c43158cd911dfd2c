"""States of pipelines: their one home. The API, its filter, metrics and the page's badges have the same names."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    """The state of a pipeline."""

    STARTING = "starting"
    RUNNING = "running"
    BEHIND = "behind"
    UPGRADE_WAITING = "upgrade-waiting"
    MIGRATING = "migrating"
    STOPPING = "stopping"
    WAITING = "waiting"
    FAILED = "failed"
    FINISHED = "finished"
    STOPPED = "stopped"
    NONE = "none"

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]

    @property
    def is_alive(self) -> bool:
        """Return True if the pipeline has a process."""
        return self in _ALIVE

    @property
    def has_failed(self) -> bool:
        """Return True if its last run failed, and no other has started."""
        return self in (RunState.FAILED, RunState.WAITING)

    @property
    def has_figures(self) -> bool:
        """Return True if the current run reports micro-batches."""
        return self in _WITH_FIGURES


_MEANINGS = {
    RunState.STARTING: "its process starts Spark",
    RunState.RUNNING: "it processes rows, or waits for rows",
    RunState.BEHIND: "it runs, and its lag grows, or its micro-batches take longer than the trigger",
    RunState.UPGRADE_WAITING: "it runs, and another version is in force",
    RunState.MIGRATING: "its state moves to another version, or back",
    RunState.STOPPING: "a stop was requested, and its process has not ended yet",
    RunState.WAITING: "it failed, and starts again at `until`",
    RunState.FAILED: "it failed or was refused, and waits for a user",
    RunState.FINISHED: "its input has ended; with a schedule, it starts again at `until`",
    RunState.STOPPED: "it was stopped",
    RunState.NONE: "it has never run",
}
_WITH_FIGURES = (RunState.RUNNING, RunState.BEHIND, RunState.UPGRADE_WAITING)
_ALIVE = (RunState.STARTING, *_WITH_FIGURES, RunState.MIGRATING, RunState.STOPPING)
