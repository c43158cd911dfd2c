"""The layout of run folders: small JSON files, replaced atomically.

    <pipeline>/lock                 held while a run is active
    <pipeline>/progress.jsonl       output of `execute-plan --progress-file` for all runs
    <pipeline>/progress.jsonl.tap   request for rows that enter a sink; `.tapped` is its answer
    <pipeline>/<number>/            a run, counted from 1
        command.json                the command: argv, working folder, additional environment
        process.json                the process: pid and start time
        exit.json                   its end: exit code, time, remaining child processes
        output/<offset>             stdout and stderr in segments; `current` is the last one

The service keeps all knowledge of a process in these files, so that it can restart.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from compiled_plan.plans.files.folders import is_number

#: The plan of a run, and its Spark settings.
PLAN, CONF = "plan.json", "spark.conf"
COMMAND, PROCESS, EXIT, PROGRESS, OUTPUT = "command.json", "process.json", "exit.json", "progress.jsonl", "output"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run.

    Args:
        path: the folder; its name is the number of the run.
    """

    path: Path

    @property
    def number(self) -> int:
        """The number of the run, counted from 1 in its pipeline."""
        return int(self.path.name)

    @property
    def progress(self) -> Path:
        """The progress file of the pipeline, for all its runs."""
        return self.path.parent / PROGRESS

    @property
    def output(self) -> Path:
        """The folder of the run's output."""
        return self.path / OUTPUT

    def read(self, name: str) -> dict[str, Any] | None:
        """Read a file of the run; None if it does not exist or is not a JSON object."""
        return read_json(self.path / name)

    def write(self, name: str, content: Mapping[str, object]) -> None:
        """Write a file of the run atomically and durably."""
        write_json(self.path / name, content)


def runs_of(pipeline: Path) -> Iterator[RunFolder]:
    """The runs of a pipeline, newest first."""
    numbers = [int(folder.name) for folder in pipeline.iterdir() if is_number(folder.name)] if pipeline.is_dir() else []
    return (RunFolder(pipeline / str(number)) for number in sorted(numbers, reverse=True))


def latest_run(pipeline: Path) -> RunFolder | None:
    """The newest run of a pipeline."""
    return next(runs_of(pipeline), None)


def new_run(
    pipeline: Path, command: Mapping[str, object] | None = None, files: Mapping[str, str] | None = None
) -> RunFolder:
    """Create the folder of the next run atomically; it replaces the folder of a run that was never begun.

    Args:
        pipeline: the pipeline's folder, whose lock the caller holds.
        command: the content of `command.json`.
        files: further files by name.
    """
    run = next_run(pipeline)
    shutil.rmtree(run.path, ignore_errors=True)
    aside = RunFolder(pipeline / ".next")
    shutil.rmtree(aside.path, ignore_errors=True)
    aside.output.mkdir(parents=True)
    for name, text in (files or {}).items():
        (aside.path / name).write_text(text)
    aside.write(COMMAND, command or {})
    aside.path.rename(run.path)
    return run


def next_run(pipeline: Path) -> RunFolder:
    """The folder of the next run, after the last run that was begun."""
    last = latest_run(pipeline)
    number = 1 if last is None else last.number + is_begun(last)
    return RunFolder(pipeline / str(number))


def begun_at(run: RunFolder) -> datetime | None:
    """The time at which the run was requested, before its first progress message."""
    at = (run.read(COMMAND) or {}).get("at")
    return None if at is None else datetime.fromtimestamp(at, UTC)


def is_begun(run: RunFolder) -> bool:
    """Return True if the start of the run was begun; the service may have ended after it created the folder."""
    return any(run.output.iterdir()) or (run.path / PROCESS).exists() or (run.path / EXIT).exists()


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object from a file; None if there is none."""
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Replace a file by a JSON object atomically, and sync it to disk."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with aside.open("w") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    place = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
