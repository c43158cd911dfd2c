"""Small files beside a checkpoint, on any file system that Spark reaches (Hadoop's FileSystem API)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plans.execution.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Folder:
    """A folder, by its path or URI."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        jvm = spark._jvm
        assert jvm is not None
        self._jvm: Any = jvm
        self._path = java_class(jvm, "org.apache.hadoop.fs.Path")(path)
        self._fs = self._path.getFileSystem(spark._jsc.hadoopConfiguration())

    @property
    def uri(self) -> str:
        """The folder's full URI."""
        return str(self._fs.makeQualified(self._path).toString())

    def exists(self) -> bool:
        """True when the folder is there."""
        return bool(self._fs.exists(self._path))

    def holds(self, name: str) -> bool:
        """True when the folder has an entry of that name."""
        return bool(self._fs.exists(self._child(name)))

    def make(self, name: str) -> None:
        """Make a folder inside, unless it is there."""
        self._fs.mkdirs(self._child(name))

    def child(self, name: str) -> str:
        """The full URI of an entry."""
        return str(self._fs.makeQualified(self._child(name)).toString())

    def read_text(self, name: str) -> str | None:
        """The text of a file, or None when it is not there."""
        path = self._child(name)
        if not self._fs.exists(path):
            # A writer that was killed between the two last steps of `write_text` left the file under its other name.
            path = self._temporary(name)
            if not self._fs.exists(path):
                return None
        stream = self._fs.open(path)
        try:
            data = java_class(self._jvm, "org.apache.commons.io.IOUtils").toByteArray(stream)
        finally:
            stream.close()
        return bytes(data).decode()

    def write_text(self, name: str, text: str) -> None:
        """Write a file: complete under its name, or not at all."""
        path, temporary = self._child(name), self._temporary(name)
        stream = self._fs.create(temporary, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
        if self._fs.exists(path):
            self._fs.delete(path, False)
        self._fs.mkdirs(path.getParent())
        self._fs.rename(temporary, path)

    def _temporary(self, name: str) -> Any:
        return self._child(f".{name.rpartition('/')[2]}.tmp")

    def remove(self, name: str = "") -> None:
        """Remove an entry with all that is in it, or the folder itself; nothing happens where it is not there."""
        self._fs.delete(self._child(name) if name else self._path, True)

    def _child(self, name: str) -> Any:
        return java_class(self._jvm, "org.apache.hadoop.fs.Path")(self._path, name)
