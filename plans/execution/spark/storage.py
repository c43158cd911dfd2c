"""Small files beside a checkpoint, on any file system that Spark reaches.

Every write leaves a file complete under its name, or what was there before. Nothing is deleted to be written again.
"""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.files.folders import LocalReads, ReadableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HADOOP_PATH = "org.apache.hadoop.fs.Path"
#: Writes as Spark writes its own logs, and under a lease alone.
_MANAGER = "org.compiledplan.kernel.files.FencedFiles"


class Folder(ReadableFolder):
    """A folder; `folder_of` makes one."""

    @abstractmethod
    def make(self, name: str = "") -> None:
        """Make a folder inside, unless it is there.

        Raises:
            CheckpointError: it is a file, or cannot be made; of a local folder.
        """

    @abstractmethod
    def write_text(self, name: str, text: str) -> None:
        """Write a file, in place of one that is there."""

    @abstractmethod
    def create_text(self, name: str, text: str) -> None:
        """Write a file that is not there.

        Raises:
            FileExistsError: it is there; it stays as it is.
        """

    @abstractmethod
    def remove(self, name: str = "") -> None:
        """Remove an entry with all that is in it, or the folder itself; nothing happens where it is not there."""

    @abstractmethod
    def remove_empty(self, name: str = "") -> None:
        """Remove a folder inside, or the folder itself, unless there is something in it."""

    @abstractmethod
    def times(self, name: str) -> dict[str, float]:
        """The modification times of what is in a folder inside, in seconds, by the clock of the file system."""

    @abstractmethod
    def copy(self, name: str, to: Self) -> None:
        """Copy an entry with all files in it under the same name into another folder of the same file system.

        Files that are there are overwritten; nothing happens where there is no such entry.
        """

    def flush(self) -> None:
        """Have all that is in the folder on the disk, written by whom it may be; a store of objects has it there."""


def folder_of(spark: SparkSession, path: str) -> Folder:
    """The folder of a path or URI."""
    jvm = spark._jvm
    assert jvm is not None
    conf = spark._jsc.hadoopConfiguration()
    hadoop = java_class(jvm, _HADOOP_PATH)(path)
    files = hadoop.getFileSystem(conf)
    full = files.makeQualified(hadoop)
    if files.getUri().getScheme() == "file":
        return LocalFolder(Path(str(full.toUri().getPath())))
    return RemoteFolder(jvm, conf, str(full.toString()))


class LocalFolder(LocalReads, Folder):
    """A folder of this machine's file system; what is written is there after a loss of power, too.

    What keeps a file from being written is raised as an ExecutionError.
    """

    def make(self, name: str = "") -> None:
        path = self.path / name
        with writing(path, "checkpoint", CheckpointError):
            # Plans in a checkpoint have passwords, and its state is data: it is closed to other users.
            self._make_folder(path, mode=0o700)

    def write_text(self, name: str, text: str) -> None:
        path = self.path / name
        with _writing(path):
            written = self._aside(path, text)
            # Where Hadoop wrote the file before it also wrote a checksum, which would no longer fit.
            self._unlink(path.with_name(f".{path.name}.crc"))
            self._replace(written, path)
            _flush(path.parent)

    def create_text(self, name: str, text: str) -> None:
        path = self.path / name
        with _writing(path):
            written, taken = self._aside(path, text), False
            try:
                self._link(written, path)
            except FileExistsError:
                taken = True
            finally:
                self._unlink(written)
            _flush(path.parent)
        if taken:
            raise FileExistsError(path)

    def remove(self, name: str = "") -> None:
        path = self.path / name
        with _writing(path):
            if path.is_dir():
                self._remove_tree(path)
            else:
                self._unlink(path)

    def remove_empty(self, name: str = "") -> None:
        with suppress(OSError):
            (self.path / name).rmdir()

    def times(self, name: str) -> dict[str, float]:
        while True:
            # Of a file that goes meanwhile another one may have taken the place, which is not in the list.
            with suppress(FileNotFoundError):
                return {entry: (self.path / name / entry).stat().st_mtime for entry in self.names(name)}

    def copy(self, name: str, to: Self) -> None:
        source, target = self.path / name, to.path / name
        if not source.exists():
            return
        with _writing(target):
            if source.is_dir():
                self._make_folder(target)
                for entry in sorted(source.iterdir()):
                    self.copy(f"{name}/{entry.name}", to)
            else:
                self._make_folder(target.parent)
                shutil.copy2(source, target)
                _flush(target)
            _flush(target.parent)

    def flush(self) -> None:
        with _writing(self.path):
            for folder, _, names in os.walk(self.path, topdown=False):
                for path in (*(Path(folder, name) for name in names), Path(folder)):
                    # Spark may be at work there, and remove what it needs no more.
                    with suppress(FileNotFoundError):
                        _flush(path)
            _flush(self.path.parent)

    def _aside(self, path: Path, text: str) -> Path:
        """The text under another name, on the disk."""
        self._make_folder(path.parent)
        aside = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
        try:
            self._write(aside, text)
        except OSError:
            # A part of it takes room on a disk that may have none left.
            with suppress(OSError):
                self._unlink(aside)
            raise
        return aside

    # Each of these is one step: a process may end before and after it.

    def _make_folder(self, path: Path, mode: int = 0o777) -> None:
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True, mode=mode)
        for folder in missing:
            _flush(folder.parent)

    def _write(self, path: Path, text: str) -> None:
        with path.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())

    def _replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def _link(self, source: Path, target: Path) -> None:
        os.link(source, target)

    def _unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def _remove_tree(self, path: Path) -> None:
        shutil.rmtree(path)


def _writing(path: Path) -> AbstractContextManager[None]:
    # Not a refusal: a disk that is full may have room at the next start.
    return writing(path, "checkpoint", ExecutionError)


def _flush(path: Path) -> None:
    """Have a file, or the names of a folder where the file system can, on the disk."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class RemoteFolder(Folder):
    """A folder of another file system, through the way in which Spark writes its own logs there.

    By Hadoop's FileContext: written aside and renamed; of object stores, whole objects.
    """

    def __init__(self, jvm: Any, conf: Any, uri: str) -> None:
        self.uri = uri
        self._jvm, self._conf = jvm, conf
        self._manager = java_class(jvm, _MANAGER)(self._at(""), conf)

    def _at(self, name: str) -> Any:
        return java_class(self._jvm, _HADOOP_PATH)(f"{self.uri}/{name}" if name else self.uri)

    def inside(self, name: str) -> Self:
        return type(self)(self._jvm, self._conf, f"{self.uri}/{name}")

    def holds(self, name: str = "") -> bool:
        return bool(self._manager.exists(self._at(name)))

    def names(self, name: str = "") -> tuple[str, ...]:
        return tuple(sorted(self.times(name)))

    def times(self, name: str) -> dict[str, float]:
        if not self.holds(name):
            return {}
        statuses = self._manager.list(self._at(name))
        return {str(status.getPath().getName()): status.getModificationTime() / 1000 for status in statuses}

    def make(self, name: str = "") -> None:
        self._manager.mkdirs(self._at(name))

    def read_text(self, name: str) -> str | None:
        if not self.holds(name):
            return None
        stream = self._manager.open(self._at(name))
        try:
            data = java_class(self._jvm, "org.apache.commons.io.IOUtils").toByteArray(stream)
        finally:
            stream.close()
        return bytes(data).decode()

    def write_text(self, name: str, text: str) -> None:
        self._write(name, text, True)

    def create_text(self, name: str, text: str) -> None:
        if self.holds(name):
            raise FileExistsError(self.child(name))
        try:
            self._write(name, text, False)
        except Exception as fault:
            if "FileAlreadyExists" in str(fault):
                raise FileExistsError(self.child(name)) from fault
            raise

    def _write(self, name: str, text: str, overwrite: bool) -> None:
        path = self._at(name)
        self._manager.mkdirs(path.getParent())
        stream = self._manager.createAtomic(path, overwrite)
        try:
            stream.write(bytearray(text.encode()))
        except BaseException:
            stream.cancel()
            raise
        stream.close()

    def remove(self, name: str = "") -> None:
        self._manager.delete(self._at(name))

    def remove_empty(self, name: str = "") -> None:
        path = self._at(name)
        with suppress(Exception):
            path.getFileSystem(self._conf).delete(path, False)

    def copy(self, name: str, to: Self) -> None:
        if not self.holds(name):
            return
        source, tools = self._at(name), java_class(self._jvm, "org.apache.hadoop.fs.FileUtil")
        files = [path.getFileSystem(self._conf) for path in (source, to._at(name))]
        above, remaining = len(str(source.toUri().getPath())), files[0].listFiles(source, True)
        # A file at a time: Hadoop copies a folder into one that is there, not onto it.
        while remaining.hasNext():
            file = remaining.next().getPath()
            target = to._at(f"{name}{str(file.toUri().getPath())[above:]}")
            to._manager.mkdirs(target.getParent())
            tools.copy(files[0], file, files[1], target, False, True, self._conf)
