"""Auxiliary processes of a home folder: everything that its service starts besides runs.

They inherit an environment variable with the folder, so that they are known after the service was killed, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from compiled_plan.service.runs.living import live_runs

#: The environment variable with the home folder of the service that started a process.
HOME = "COMPILED_PLAN_SERVICE_HOME"
COMPILER, OTHER = "compiler", "other"
#: The kind of a process, by a module in its command line.
_KINDS = {
    "compiled_plan.cli.preview_rows": "preview",
    "compiled_plan.cli.inspect_state": "state query",
    "compiled_plan.cli.execute_plan": "check of an upgrade",
    "compiled_plan.cli.warm_server": "Spark of previews and state queries",
    "compiled_plan.service.workers.testing": "tests",
    "compiled_plan.service.workers.worker": COMPILER,
}
_WAITER = "compiled_plan.service.runs.waiter"
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
    marked = _without_runs(_marked(home), {run.state.pid for run in live_runs(home)})
    kinds = {pid: _kind(process) for pid, process in marked.items()}

    def stands_alone(pid: int, process: psutil.Process) -> bool:
        """Return True unless the process is part of another one, such as its Java."""
        ancestors = [parent.pid for parent in process.parents() if parent.pid in marked]
        return not ancestors or kinds[pid] not in (OTHER, kinds[ancestors[0]])

    listed = []
    for pid, process in marked.items():
        with suppress(psutil.NoSuchProcess):
            if stands_alone(pid, process):
                listed.append(Auxiliary(kinds[pid], process))
    return sorted(listed, key=lambda item: item.since)


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


def _marked(home: Path) -> Mapping[int, psutil.Process]:
    """The live processes with the mark of a home folder."""
    place, marked = str(home.resolve()), {}
    for process in psutil.process_iter():
        # Processes of other users, and those that end meanwhile.
        with suppress(psutil.Error):
            if process.environ().get(HOME) == place and process.status() != psutil.STATUS_ZOMBIE:
                marked[process.pid] = process
    return marked


def _without_runs(marked: Mapping[int, psutil.Process], runs: Collection[int]) -> Mapping[int, psutil.Process]:
    """Processes that neither are runs, their waiters, nor belong to them."""

    def line(process: psutil.Process) -> Iterator[psutil.Process]:
        yield process
        yield from process.parents()

    others = {}
    for pid, process in marked.items():
        with suppress(psutil.Error):
            if not any(item.pid in runs or _WAITER in item.cmdline() for item in line(process)):
                others[pid] = process
    return others


def _kind(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        words = " ".join(process.cmdline())
        return next((kind for module, kind in _KINDS.items() if module in words), OTHER)
    return OTHER
