"""What is where in the folder of a run, and how it is written: small JSON files, each replaced whole.

    <pipeline>/lock                 taken as long as a run goes on
    <pipeline>/progress.jsonl       what `execute-plan --progress-file` writes, over all runs
    <pipeline>/<number>/            a run, counted from 1
        command.json                what is started: argv, folder, environment beside that of the service
        process.json                the process that runs: pid and start time, its waiter's too
        exit.json                   how it ended: code, time, processes of it that are left
        output/<offset>             stdout and stderr, a file for each stretch; the last is written to

All of it is there for the service that starts again: it keeps nothing about a process that is not in these files.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.files.folders import is_number

#: The plan of a run, and Spark's settings.
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
        """The file of the progress of all runs of the pipeline."""
        return self.path.parent / PROGRESS

    @property
    def output(self) -> Path:
        """The folder of what it printed."""
        return self.path / OUTPUT

    def read(self, name: str) -> dict[str, Any] | None:
        """One of its files; None where it is not there, or is no JSON object."""
        return read_json(self.path / name)

    def write(self, name: str, content: Mapping[str, Any]) -> None:
        """Write one of its files, whole and for good."""
        write_json(self.path / name, content)


def runs_of(pipeline: Path) -> Iterator[RunFolder]:
    """The runs of a pipeline's folder, newest first."""
    numbers = [int(folder.name) for folder in pipeline.iterdir() if is_number(folder.name)] if pipeline.is_dir() else []
    return (RunFolder(pipeline / str(number)) for number in sorted(numbers, reverse=True))


def latest_run(pipeline: Path) -> RunFolder | None:
    """The newest run of a pipeline's folder."""
    return next(runs_of(pipeline), None)


def new_run(
    pipeline: Path, command: Mapping[str, Any] | None = None, files: Mapping[str, str] | None = None
) -> RunFolder:
    """A folder for the next run. It is there as a whole or not at all, and takes the place of one that nobody began.

    Args:
        pipeline: the pipeline's folder, whose lock is held.
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
    """The folder of the next run: the one behind the last that was begun."""
    last = latest_run(pipeline)
    number = 1 if last is None else last.number + is_begun(last)
    return RunFolder(pipeline / str(number))


def is_begun(run: RunFolder) -> bool:
    """Whether anybody began to start it: who made the folder may have ended before."""
    return any(run.output.iterdir()) or (run.path / PROCESS).exists() or (run.path / EXIT).exists()


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object of a file; None where there is none."""
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object in place of what is there; it is on the disk when this returns."""
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
