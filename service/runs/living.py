"""Live runs of a home folder and their end, by the files and locks of the folder: works without the service."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.files.folders import is_number
from compiled_plan.service.runs.folders import COMMAND, RunFolder, read_json, write_json
from compiled_plan.service.runs.launching import RUN
from compiled_plan.service.runs.processes import (
    ProcessState,
    current,
    is_alive,
    is_stop_requested,
    request_stop,
    wait_until,
)

#: The record of the service that runs on a home folder.
SERVICE = "service.json"
#: The time in seconds after a run's own timeout for further signals, and for its waiter to record the end.
_RECORDED = 90.0


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run with a live process.

    Args:
        folder: its folder.
        state: the state of its process.
        command: the content of `command.json`.
    """

    folder: RunFolder
    state: ProcessState
    command: dict[str, Any]

    @property
    def pipeline_id(self) -> int:
        """The id of its pipeline."""
        return int(self.folder.path.parent.name)

    @property
    def pipeline(self) -> str:
        """The name of its pipeline; the id for runs of releases that did not record it."""
        return str(self.command.get("pipeline") or self.pipeline_id)

    @property
    def stop_seconds(self) -> float:
        """Its own timeout for a stop."""
        return RunOptions(stop_within=self.command.get("stop_within") or RunOptions().stop_within).stop_seconds

    @property
    def is_stopping(self) -> bool:
        """Return True if its end was requested."""
        return is_stop_requested(self.folder)


@dataclass(frozen=True, slots=True)
class LiveService:
    """The service that runs on a home folder."""

    pid: int
    address: str


def live_runs(home: Path) -> list[LiveRun]:
    """The live runs of a home folder, by pipeline."""
    folders = home / "runs"
    ids = sorted(int(path.name) for path in folders.iterdir() if is_number(path.name)) if folders.is_dir() else []
    runs = [run for id_ in ids if (run := current((folders / str(id_)).resolve())) is not None and not run[1].is_over]
    return [LiveRun(folder, state, folder.read(COMMAND) or {}) for folder, state in runs]


def stop_live(runs: Sequence[LiveRun]) -> list[LiveRun]:
    """Stop runs and wait for their ends; return the runs that still live.

    A run that only changes a checkpoint, such as a rollback, gets no signal and ends by itself.
    """

    def living() -> list[LiveRun]:
        return [run for run in runs if (now := current(run.folder.path.parent)) is not None and not now[1].is_over]

    def is_done() -> bool:
        for run in living():
            if run.command.get("what", RUN) == RUN:
                request_stop(run.folder, run.stop_seconds)
        return not living()

    wait_until(is_done, max((run.stop_seconds for run in runs), default=0.0) + _RECORDED)
    return living()


def record_service(home: Path, address: str) -> None:
    """Record this process as the service of a home folder."""
    started = psutil.Process().create_time()
    write_json(home / SERVICE, {"pid": os.getpid(), "started": started, "address": address, "at": time.time()})


def forget_service(home: Path) -> None:
    """Remove the record of this process."""
    record = read_json(home / SERVICE)
    if record is not None and record["pid"] == os.getpid():
        with suppress(FileNotFoundError):
            (home / SERVICE).unlink()


def live_service(home: Path) -> LiveService | None:
    """The service that runs on a home folder."""
    record = read_json(home / SERVICE)
    if record is None or not is_alive(record["pid"], record["started"]):
        return None
    return LiveService(record["pid"], record["address"])
