"""Files of any file system that Spark knows (local, HDFS, S3), through Hadoop's FileSystem in Spark's JVM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import JavaObject, java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_GLOB = set("{}[]*?\\")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: its full path, its path below the listed folder, its size in bytes."""

    path: str
    relative: str
    size: int


class Files:
    """The file system of one path.

    Args:
        spark: the session whose Hadoop configuration (credentials, endpoints) is used.
        path: a path or URI; without a scheme it is on the default file system, usually the local one.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._path_class = java_class(spark._jvm, "org.apache.hadoop.fs.Path")
        self._conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._fs = self._path(path).getFileSystem(self._conf)
        self._bytes_of = java_class(spark._jvm, "org.apache.commons.io.IOUtils").toByteArray
        #: The path with its scheme.
        self.root = str(self._path(path).makeQualified(self._fs.getUri(), self._fs.getWorkingDirectory()).toString())

    def uri(self, path: str) -> str:
        """The path as Spark's file source logs it."""
        qualified = self._path(path).makeQualified(self._fs.getUri(), self._fs.getWorkingDirectory())
        return str(qualified.toUri().toString())

    def exists(self, path: str) -> bool:
        """Return True if the file or folder exists."""
        return bool(self._fs.exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        """Return True if the path is a folder."""
        return self.exists(path) and bool(self._fs.getFileStatus(self._path(path)).isDirectory())

    def text(self, path: str) -> str | None:
        """The text of a file; None if it does not exist."""
        if not self.exists(path):
            return None
        stream = self._fs.open(self._path(path))
        try:
            data = self._bytes_of(stream)
        finally:
            stream.close()
        return bytes(data).decode()

    def modified(self, path: str) -> int:
        """Modification time of a file, in ms since 1970."""
        return int(self._fs.getFileStatus(self._path(path)).getModificationTime())

    def delete(self, path: str) -> None:
        """Remove a file, or a folder recursively; do nothing if it does not exist."""
        self._fs.delete(self._path(path), True)

    def move(self, source: str, target: str) -> None:
        """Move a file, and create the folders of the target.

        Raises:
            OSError: the file system refused.
        """
        to = self._path(target)
        self._fs.mkdirs(to.getParent())
        if not self._fs.rename(self._path(source), to):
            raise OSError(f"cannot move {source} to {target}")
        # The local file system keeps a checksum beside each file, which moved with it.
        self._without_checksum(to)

    def touch(self, path: str) -> None:
        """Create an empty file, replacing an existing one."""
        file = self._path(path)
        self._fs.create(file, True).close()
        self._without_checksum(file)

    def _without_checksum(self, file: Any) -> None:
        """Remove the unused checksum of a file."""
        checksum = self._path_class(file.getParent(), f".{file.getName()}.crc")
        if self._fs.getScheme() == "file" and self._fs.exists(checksum):
            self._fs.delete(checksum, False)

    def walk(self, folder: str) -> Iterator[Entry]:
        """The files below a folder, recursively and sorted by path; none if the folder does not exist."""
        if self.exists(folder):
            yield from sorted(self._walk(self._path(folder), ""), key=lambda entry: entry.relative)

    def _walk(self, folder: object, below: str) -> Iterator[Entry]:
        for status in self._fs.listStatus(folder):
            path = status.getPath()
            relative = f"{below}{path.getName()}"
            if status.isDirectory():
                yield from self._walk(path, f"{relative}/")
            else:
                yield Entry(str(path.toString()), relative, int(status.getLen()))

    def _path(self, path: str) -> JavaObject:
        handle: JavaObject = self._path_class(path)
        return handle


def escaped_glob(path: str) -> str:
    """The path as a glob that matches only itself."""
    return "".join(f"\\{letter}" if letter in _GLOB else letter for letter in path)
