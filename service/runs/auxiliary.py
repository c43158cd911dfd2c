"""Auxiliary processes of a home folder: everything that its service starts besides runs.

They inherit an environment variable with the folder, so that they are known after the service was killed, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from compiled_plan.service.runs.living import live_runs

#: The environment variable with the home folder of the service that started a process.
HOME = "COMPILED_PLAN_SERVICE_HOME"
COMPILER, OTHER, _WAITER = "compiler", "other", "waiter of a run"
#: The kind of a process, by a module in its command line.
_KINDS = {
    "compiled_plan.cli.preview_rows": "preview",
    "compiled_plan.cli.inspect_state": "state query",
    "compiled_plan.cli.execute_plan": "check of an upgrade",
    "compiled_plan.cli.warm_server": "Spark of previews and state queries",
    "compiled_plan.service.workers.testing": "tests",
    "compiled_plan.service.workers.worker": COMPILER,
    "compiled_plan.service.runs.waiter": _WAITER,
}
#: Seconds that processes have to end after SIGTERM, and after SIGKILL.
_ENDING = 5.0


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary process.

    Args:
        kind: its purpose.
        process: the process; its child processes end with it.
    """

    kind: str
    process: psutil.Process

    @property
    def since(self) -> float:
        """The start time, in epoch seconds."""
        return float(self.process.create_time())


def mark_processes(home: Path) -> None:
    """Mark the processes that this one starts from now on as those of a home folder."""
    os.environ[HOME] = str(home.resolve())


def auxiliary_processes(home: Path) -> list[Auxiliary]:
    """The live auxiliary processes of a home folder, by start time."""
    kinds = _kinds(home)
    # A run whose waiter was killed has no other ancestor than init.
    runs = {run.state.pid for run in live_runs(home) if run.state.pid}
    runs |= {pid for pid, (kind, _) in kinds.items() if kind == _WAITER}

    def stands_alone(pid: int, kind: str, process: psutil.Process) -> bool:
        """Return True unless the process is a run, or part of a run or of another process, such as its Java."""
        parents = [parent.pid for parent in process.parents()]
        owner = next((kinds[parent][0] for parent in parents if parent in kinds), None)
        return runs.isdisjoint((pid, *parents)) and (owner is None or kind not in (OTHER, owner))

    listed = []
    for pid, (kind, process) in kinds.items():
        with suppress(psutil.NoSuchProcess):
            if stands_alone(pid, kind, process):
                listed.append(Auxiliary(kind, process))
    return sorted(listed, key=lambda item: item.since)


def _kinds(home: Path) -> dict[int, tuple[str, psutil.Process]]:
    """The live processes with the mark of a home folder, and their kinds, by pid."""
    place, marked = str(home.resolve()), {}
    for process in psutil.process_iter():
        # Processes of other users, and those that end meanwhile, which have no command line.
        with suppress(psutil.Error):
            if process.environ().get(HOME) == place and (words := " ".join(process.cmdline())):
                marked[process.pid] = next((kind for name, kind in _KINDS.items() if name in words), OTHER), process
    return marked


def end_auxiliary(processes: Collection[Auxiliary]) -> list[Auxiliary]:
    """End auxiliary processes with their child processes; return those that still live."""
    trees = {member for item in processes for member in _tree(item.process)}
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for process in trees:
            with suppress(psutil.NoSuchProcess):
                end(process)
        _, trees = map(set, psutil.wait_procs(trees, _ENDING))
    return [item for item in processes if item.process in trees]


def _tree(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return [process, *process.children(recursive=True)]
    return []
