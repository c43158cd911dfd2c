"""Small files beside a checkpoint, on any file system that Spark reaches.

Every write leaves a file complete under its name, or what was there before. Nothing is deleted to be written again.
"""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.java import java_class
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.files.folders import LocalReads, ReadableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HADOOP_PATH = "org.apache.hadoop.fs.Path"
_MANAGER = "org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager"


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
    def copy(self, name: str, to: Self) -> None:
        """Copy an entry with all files in it under the same name into another folder of the same file system.

        Files that are there are overwritten; nothing happens where there is no such entry.
        """


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
    """A folder of this machine's file system; what is written is there after a loss of power, too."""

    def make(self, name: str = "") -> None:
        path = self.path / name
        with writing(path, "checkpoint", CheckpointError):
            # Plans in a checkpoint have passwords, and its state is data: it is closed to other users.
            path.mkdir(parents=True, exist_ok=True, mode=0o700)

    def write_text(self, name: str, text: str) -> None:
        path = self.path / name
        written = self._aside(path, text)
        # Where Hadoop wrote the file before it also wrote a checksum, which would no longer fit.
        self._unlink(path.with_name(f".{path.name}.crc"))
        self._replace(written, path)
        _flush(path.parent)

    def create_text(self, name: str, text: str) -> None:
        path = self.path / name
        written = self._aside(path, text)
        try:
            self._link(written, path)
        except FileExistsError:
            self._unlink(written)
            raise
        self._unlink(written)
        _flush(path.parent)

    def remove(self, name: str = "") -> None:
        path = self.path / name
        if path.is_dir():
            self._remove_tree(path)
        else:
            self._unlink(path)

    def copy(self, name: str, to: Self) -> None:
        source, target = self.path / name, to.path / name
        self._make_folder(target.parent)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            shutil.copy2(source, target)

    def _aside(self, path: Path, text: str) -> Path:
        """The text under another name, on the disk."""
        self._make_folder(path.parent)
        aside = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
        self._write(aside, text)
        return aside

    # Each of these is one step: a process may end before and after it.

    def _make_folder(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def _write(self, path: Path, text: str) -> None:
        with path.open("w") as stream:
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


def _flush(folder: Path) -> None:
    """Have the names of a folder on the disk, where the file system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
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
        self._manager = java_class(jvm, _MANAGER).create(self._at(""), conf)

    def _at(self, name: str) -> Any:
        return java_class(self._jvm, _HADOOP_PATH)(f"{self.uri}/{name}" if name else self.uri)

    def inside(self, name: str) -> Self:
        return type(self)(self._jvm, self._conf, f"{self.uri}/{name}")

    def holds(self, name: str = "") -> bool:
        return bool(self._manager.exists(self._at(name)))

    def names(self, name: str = "") -> tuple[str, ...]:
        if not self.holds(name):
            return ()
        return tuple(sorted(str(status.getPath().getName()) for status in self._manager.list(self._at(name))))

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

    def copy(self, name: str, to: Self) -> None:
        if not self.holds(name):
            return
        source, tools = self._at(name), java_class(self._jvm, "org.apache.hadoop.fs.FileUtil")
        files = [path.getFileSystem(self._conf) for path in (source, to._at(name))]
        above, found = len(str(source.toUri().getPath())), files[0].listFiles(source, True)
        # A file at a time: Hadoop copies a folder into one that is there, not onto it.
        while found.hasNext():
            each = found.next().getPath()
            target = to._at(f"{name}{str(each.toUri().getPath())[above:]}")
            to._manager.mkdirs(target.getParent())
            tools.copy(files[0], each, files[1], target, False, True, self._conf)
