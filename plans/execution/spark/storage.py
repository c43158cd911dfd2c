"""Small files beside a checkpoint, on any file system that Spark reaches.

Every write is atomic: a file has either its old or its new content. No file is deleted in order to write it again.
"""

from __future__ import annotations

import errno
import os
import shutil
from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from compiled_plan.plans.errors import CheckpointError, ExecutionError
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.files.folders import LocalReads, ReadableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The file system has no hard links, the folders are on two file systems, or the file has too many links.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EXDEV, errno.EMLINK})
_HADOOP_PATH = "org.apache.hadoop.fs.Path"
#: Writes like Spark writes its own logs, and only under a lease.
_MANAGER = "org.compiledplan.kernel.files.FencedFiles"
#: Parts of the errors for a file that is replaced while it is read, and the number of times to read it.
_REPLACED = ("Status Code: 412", "RemoteFileChangedException", "FileNotFoundException")
_READS = 5


class Folder(ReadableFolder):
    """A folder; `folder_of` creates one."""

    @abstractmethod
    def make(self, name: str = "") -> None:
        """Create a folder inside, unless it exists.

        Raises:
            CheckpointError: it is a file, or cannot be created; for local folders.
        """

    @abstractmethod
    def write_text(self, name: str, text: str) -> None:
        """Write a file, replacing an existing one."""

    @abstractmethod
    def create_text(self, name: str, text: str) -> None:
        """Write a file that does not exist.

        Raises:
            FileExistsError: it exists, and is unchanged.
        """

    @abstractmethod
    def remove(self, name: str = "") -> None:
        """Remove an entry recursively, or the folder itself; do nothing if it does not exist."""

    @abstractmethod
    def remove_empty(self, name: str = "") -> None:
        """Remove a folder inside, or the folder itself, if it is empty."""

    @abstractmethod
    def times(self, name: str) -> dict[str, float]:
        """The modification times of a folder's entries, in seconds, by the clock of the file system."""

    @abstractmethod
    def sizes(self, name: str) -> dict[str, int]:
        """The sizes of a folder's files, in bytes; without those that are removed meanwhile."""

    @abstractmethod
    def copy(self, name: str, to: Self) -> None:
        """Copy an entry recursively under the same name into another folder of the same file system.

        Overwrite existing files; do nothing if the entry does not exist.
        """

    @abstractmethod
    def link(self, name: str, to: Self, target: str) -> bool:
        """Provide the present content of a file in another folder: a hard link, or a copy across file systems.

        For files that are replaced or removed, and never modified in place. Unlike the other writes, it is not flushed.

        Args:
            name: the file.
            to: the other folder.
            target: its name there; an existing file is replaced.

        Returns:
            False if the file does not exist.
        """

    def flush(self) -> None:
        """Flush the whole folder to disk, whoever wrote it; object stores need no flush."""


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
    """A folder of this machine's file system; writes survive a loss of power.

    Failures to write are raised as ExecutionError.
    """

    def make(self, name: str = "") -> None:
        path = self.path / name
        with writing(path, "checkpoint", CheckpointError):
            # Plans in a checkpoint contain passwords, and state contains data: other users get no access.
            self._make_folder(path, mode=0o700)

    def write_text(self, name: str, text: str) -> None:
        path = self.path / name
        with _writing(path):
            written = self._write_temporary(path, text)
            # If Hadoop wrote the file before, it also wrote a checksum, which no longer matches.
            self._unlink(path.with_name(f".{path.name}.crc"))
            self._replace(written, path)
            _flush(path.parent)

    def create_text(self, name: str, text: str) -> None:
        path = self.path / name
        with _writing(path):
            written, taken = self._write_temporary(path, text), False
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
            # A file removed meanwhile may be replaced by another one that is not listed.
            with suppress(FileNotFoundError):
                return {entry: (self.path / name / entry).stat().st_mtime for entry in self.names(name)}

    def sizes(self, name: str) -> dict[str, int]:
        sizes = {}
        for entry in self.names(name):
            path = self.path / name / entry
            with suppress(FileNotFoundError):
                if path.is_file():
                    sizes[entry] = path.stat().st_size
        return sizes

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

    def link(self, name: str, to: Self, target: str) -> bool:
        source, path = self.path / name, to.path / target
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                try:
                    self._share(source, path)
                except FileExistsError:
                    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
                    self._share(source, temporary)
                    self._replace(temporary, path)
                    # The rename of a link onto another one of the same file leaves both.
                    self._unlink(temporary)
            except FileNotFoundError:
                return False
        return True

    def _share(self, source: Path, target: Path) -> None:
        try:
            self._link(source, target)
        except OSError as fault:
            if fault.errno not in _NO_LINKS:
                raise
            shutil.copy2(source, target)

    def flush(self) -> None:
        with _writing(self.path):
            for folder, _, names in os.walk(self.path, topdown=False):
                for path in (*(Path(folder, name) for name in names), Path(folder)):
                    # A concurrent Spark may remove files that it no longer needs.
                    with suppress(FileNotFoundError):
                        _flush(path)
            _flush(self.path.parent)

    def _write_temporary(self, path: Path, text: str) -> Path:
        """Write the text to a temporary file, and flush it."""
        self._make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
        try:
            self._write(temporary, text)
        except OSError:
            # A partial file takes space on a disk that may be full.
            with suppress(OSError):
                self._unlink(temporary)
            raise
        return temporary

    # Each of these is atomic: a process may die before and after it.

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
    # Not a refusal: a full disk may have space at the next start.
    return writing(path, "checkpoint", ExecutionError)


def _flush(path: Path) -> None:
    """Flush a file, or, if the file system can, the entries of a folder."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class RemoteFolder(Folder):
    """A folder of another file system, accessed the way in which Spark writes its own logs there.

    Uses Hadoop's FileContext: write aside and rename; on object stores, write whole objects.
    """

    def __init__(self, jvm: object, conf: object, uri: str) -> None:
        self.uri = uri
        self._jvm, self._conf = jvm, conf
        self._manager = java_class(jvm, _MANAGER)(self._at(""), conf)

    def _at(self, name: str) -> JavaObject:
        path: JavaObject = java_class(self._jvm, _HADOOP_PATH)(f"{self.uri}/{name}" if name else self.uri)
        return path

    def inside(self, name: str) -> Self:
        return type(self)(self._jvm, self._conf, f"{self.uri}/{name}")

    def holds(self, name: str = "") -> bool:
        return bool(self._manager.exists(self._at(name)))

    def names(self, name: str = "") -> tuple[str, ...]:
        return tuple(sorted(self.times(name)))

    def times(self, name: str) -> dict[str, float]:
        statuses = self._statuses(name)
        return {str(status.getPath().getName()): status.getModificationTime() / 1000 for status in statuses}

    def sizes(self, name: str) -> dict[str, int]:
        files = (status for status in self._statuses(name) if status.isFile())
        return {str(status.getPath().getName()): int(status.getLen()) for status in files}

    def _statuses(self, name: str) -> list[JavaObject]:
        return list(self._manager.list(self._at(name))) if self.holds(name) else []

    def make(self, name: str = "") -> None:
        self._manager.mkdirs(self._at(name))

    def read_bytes(self, name: str) -> bytes | None:
        tries = _READS
        while self.holds(name):
            tries -= 1
            try:
                return self._content(name)
            except Exception as fault:
                if not tries or not any(sign in str(fault) for sign in _REPLACED):
                    raise
        return None

    def _content(self, name: str) -> bytes:
        stream = self._manager.open(self._at(name))
        try:
            data = java_class(self._jvm, "org.apache.commons.io.IOUtils").toByteArray(stream)
        finally:
            stream.close()
        return bytes(data)

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

    def link(self, name: str, to: Self, target: str) -> bool:
        source, path = self._at(name), to._at(target)
        files, others = (place.getFileSystem(self._conf) for place in (source, path))
        to._manager.mkdirs(path.getParent())
        tools = java_class(self._jvm, "org.apache.hadoop.fs.FileUtil")
        try:
            tools.copy(files, source, others, path, False, True, self._conf)
        except Exception as fault:
            if "FileNotFoundException" in str(fault):
                return False
            raise
        return True

    def copy(self, name: str, to: Self) -> None:
        if not self.holds(name):
            return
        source, tools = self._at(name), java_class(self._jvm, "org.apache.hadoop.fs.FileUtil")
        files = [path.getFileSystem(self._conf) for path in (source, to._at(name))]
        above, remaining = len(str(source.toUri().getPath())), files[0].listFiles(source, True)
        # File by file: Hadoop copies a folder into an existing one, not onto it.
        while remaining.hasNext():
            file = remaining.next().getPath()
            target = to._at(f"{name}{str(file.toUri().getPath())[above:]}")
            to._manager.mkdirs(target.getParent())
            tools.copy(files[0], file, files[1], target, False, True, self._conf)
