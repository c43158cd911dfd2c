"""The history of a checkpoint's sources: the files that they have read, in order.

Spark's file source logs each file with its time and the number of the source's own micro-batch that read it
(`sources/<name>/<n>`, every tenth log as `<n>.compact` including all previous ones; Spark 4.3, version 1).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.file_logs import COMPACT, FILES_VERSION, entries_of, place_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TIMES = "org.compiledplan.kernel.files.FileTimes"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read.

    Args:
        path: its URI, as in Spark's log.
        time: its modification time when it was read, in ms since 1970.
        batch: number of the source's micro-batch that read it.
    """

    path: str
    time: int
    batch: int = 0


class FileTimes:
    """Modification times of files, on the file systems that Spark knows."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def of(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The times in ms since 1970 by path, without missing files."""
        return self._call("of", json.dumps(list(paths)))

    def below(self, root: str) -> Mapping[str, int]:
        """The times of all files that a source of this path would read."""
        return self._call("below", root)

    def _call(self, method: str, argument: str) -> Mapping[str, int]:
        conf = self._spark._jsparkSession.sessionState().newHadoopConf()
        times: dict[str, int] = json.loads(getattr(java_class(self._spark._jvm, _TIMES), method)(argument, conf))
        return times


def files_read(generation: Folder, name: str, until: int) -> tuple[ReadFile, ...]:
    """The files that a source has read, in the order of its micro-batches, then of their times and paths.

    Args:
        generation: Spark's checkpoint location.
        name: the name of the source.
        until: number of its last micro-batch to include.
    """
    files: dict[str, ReadFile] = {}
    for entry in entries_of(generation, name).values():
        for file in _parsed(generation.read_text(f"{place_of(name)}/{entry}") or ""):
            if file.batch <= until:
                files[file.path] = file
    return tuple(sorted(files.values(), key=lambda file: (file.batch, file.time, file.path)))


def _parsed(text: str) -> Iterator[ReadFile]:
    version, *lines = text.splitlines() or [""]
    assert version == FILES_VERSION, f"the log of a file source has version {version}"
    for line in lines:
        entry: dict[str, Any] = json.loads(line)
        yield ReadFile(entry["path"], int(entry["timestamp"]), int(entry["batchId"]))


def write_log(generation: Folder, name: str, logged: Sequence[Sequence[ReadFile]], interval: int) -> None:
    """Write the log of a source's last micro-batch; those of the previous ones exist.

    Args:
        generation: Spark's checkpoint location.
        name: the name of the source.
        logged: the files of each micro-batch so far.
        interval: number of micro-batches after which Spark compacts the log.
    """
    number = len(logged) - 1
    compact = len(logged) % interval == 0
    files = [replace(file, batch=at) for at, files in enumerate(logged) for file in files if compact or at == number]
    lines = [{"path": file.path, "timestamp": file.time, "batchId": file.batch} for file in files]
    text = "\n".join([FILES_VERSION, *(json.dumps(line, separators=(",", ":")) for line in lines)])
    generation.write_text(f"{place_of(name)}/{number}{COMPACT if compact else ''}", text)


def history_files(times: FileTimes, root: str) -> tuple[ReadFile, ...]:
    """The files of a history table, in the order in which a source reads them."""
    files = (ReadFile(path, time) for path, time in times.below(root).items())
    return tuple(sorted(files, key=lambda file: (file.time, file.path)))


@dataclass(frozen=True, slots=True)
class Gap:
    """A file that has changed since it was read.

    Args:
        path: its URI.
        how: the change, such as "is gone".
    """

    path: str
    how: str


def gaps(times: FileTimes, files: Iterable[ReadFile]) -> tuple[Gap, ...]:
    """The files that are missing or were modified since they were read."""
    known = tuple(files)
    times_now = times.of([file.path for file in known])
    return tuple(
        Gap(file.path, "is gone" if file.path not in times_now else "was written again since it was read")
        for file in known
        if times_now.get(file.path) != file.time
    )


def in_order(files: Sequence[ReadFile], limit: int | None) -> list[tuple[ReadFile, ...]]:
    """Group files into as few micro-batches as possible.

    A micro-batch reads its files in the order of times and paths; a late file that was read after newer ones begins
    another.

    Args:
        files: in the order in which they were read.
        limit: maximum number of files per micro-batch; None for no limit.
    """
    groups: list[list[ReadFile]] = []
    for file in files:
        last = groups[-1] if groups else None
        if last is None or (last[-1].time, last[-1].path) > (file.time, file.path) or len(last) == limit:
            groups.append([file])
        else:
            last.append(file)
    return [tuple(group) for group in groups]


def by_batch(files: Sequence[ReadFile]) -> Mapping[int, tuple[ReadFile, ...]]:
    """Group files by the source's micro-batch that read them."""
    batches: dict[int, list[ReadFile]] = {}
    for file in files:
        batches.setdefault(file.batch, []).append(file)
    return {batch: tuple(group) for batch, group in batches.items()}
