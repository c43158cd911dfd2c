"""Marker files of complete partitions, as written by Flink's policy `success-file`.

A partition is pending from its first file on. It is committed once its time has come and the last micro-batch that
wrote into it is committed; a late file makes it pending again. After a restart the files show what is pending.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans.connectors import partition_commits as declared
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError, UnsupportedError
from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.spark.java import JavaObject, java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CATALOG_UTILS = "org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils"
#: Exceptions of Java; PySpark translates the kinds that it knows.
_WRONG = (Py4JJavaError, PySparkException)


@dataclass(frozen=True, slots=True)
class Pending:
    """A partition without a marker.

    Args:
        since: the time of its first file, in ms since 1970.
        batch: the last micro-batch that wrote to it.
    """

    since: int
    batch: int


@dataclass(slots=True)
class PartitionCommits:
    """The partitions of a table of files.

    Args:
        table: its identifier, for messages.
        path: its folder.
        keys: the partition columns.
        options: the options of the table.
        own: matches names of files of this run, with the number of the batch as a group.
        now: returns the time in ms since 1970.
    """

    spark: SparkSession
    table: str
    path: str
    keys: Sequence[str]
    options: dict[str, str]
    own: re.Pattern[str]
    now: Callable[[], int] = lambda: int(time.time() * 1000)
    pending: dict[str, Pending] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, *, ends: bool, has_watermark: bool) -> None:
        """See `Commits.check`; also refuse time zones and formats that Java does not know."""
        if self._by_watermark and not ends and not has_watermark:
            raise UnsupportedError(
                f"'{declared.TRIGGER}' = '{declared.BY_TIME_OF_PARTITION}' needs a watermark, and no operator of the "
                "plan uses event time",
                where=f"table {self.table}, WITH",
                remedy=f"set '{declared.TRIGGER}' to 'process-time' and '{declared.DELAY}' to how late rows may be",
            )
        try:
            self._times.check(self._values.text(declared.FORMATTER), self._values.text(declared.ZONE))
        except _WRONG as fault:
            raise UnsupportedError(
                f"one of the options '{declared.FORMATTER}' and '{declared.ZONE}' is invalid: {_reason(fault)}",
                where=f"table {self.table}, WITH",
                remedy="use a format and a time zone that Java knows",
            ) from None

    def load(self) -> None:
        """Read the folder for pending partitions, once; concurrent writes would make the listing fail."""
        with self.lock:
            self._known()

    def record(self, batch: int, folders: Iterable[str]) -> None:
        """Record that a batch wrote files into folders (paths relative to the table's)."""
        with self.lock:
            known = self._known()
            for folder in folders:
                pending = known.get(folder)
                known[folder] = Pending(self.now(), batch) if pending is None else replace(pending, batch=batch)

    def settle(self, batch: int, watermark: int | None, *, ended: bool) -> None:
        """Write the markers of complete partitions.

        Args:
            batch: the last committed micro-batch.
            watermark: the query's watermark in it, in ms since 1970; None if there is none.
            ended: True if all rows are written.

        Raises:
            DataError: the time of a partition cannot be parsed from its values.
        """
        with self.lock:
            known = self._known()
            if not known:
                return
            files, name = Files(self.spark, self.path), self._values.text(declared.FILE)
            for folder, pending in sorted(known.items()):
                if ended or (pending.batch <= batch and self._is_due(folder, pending, watermark)):
                    files.touch(f"{files.root}/{folder}/{name}")
                    del known[folder]

    def _is_due(self, folder: str, pending: Pending, watermark: int | None) -> bool:
        delay = self._values.number(declared.DELAY)
        if not self._by_watermark:
            return self.now() >= pending.since + delay
        return watermark is not None and watermark > self._time(folder) + delay

    def _known(self) -> dict[str, Pending]:
        if self.pending is None:
            self.pending = self._uncommitted()
        return self.pending

    def _uncommitted(self) -> dict[str, Pending]:
        """The partitions with files of this run that are newer than the marker."""
        files, name = Files(self.spark, self.path), self._values.text(declared.FILE)
        modified, times = dict[str, int](), dict[str, list[tuple[int, int]]]()
        for entry in files.walk(files.root):
            folder, _, file = entry.relative.rpartition("/")
            if file == name:
                modified[folder] = files.modified(entry.path)
            elif (own := self.own.match(file)) is not None and not entry.relative.startswith("."):
                times.setdefault(folder, []).append((files.modified(entry.path), int(own[1])))
        newer = {
            folder: [change for change in files_of_folder if change[0] > modified.get(folder, -1)]
            for folder, files_of_folder in times.items()
        }
        return {
            folder: Pending(min(at for at, _ in changes), max(batch for _, batch in changes))
            for folder, changes in newer.items()
            if changes
        }

    def _time(self, folder: str) -> int:
        """The time of a partition in ms since 1970."""
        unescaped = java_class(
            self.spark._jvm, "org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils"
        ).unescapePathName
        values = dict(zip(self.keys, (unescaped(part.partition("=")[2]) for part in folder.split("/")), strict=True))
        text = self._values.text(declared.PATTERN) or f"${self.keys[0]}"
        for key, value in values.items():
            text = text.replace(f"${key}", value)
        try:
            zone, form = self._values.text(declared.ZONE), self._values.text(declared.FORMATTER)
            return int(self._times.millis(text, form, zone))
        except _WRONG as fault:
            raise DataError(
                f"the time of partition {folder} cannot be read from {text!r}: {_reason(fault)}",
                where=f"table {self.table}",
                remedy=f"correct the options '{declared.PATTERN}' and '{declared.FORMATTER}'",
            ) from None

    @property
    def _by_watermark(self) -> bool:
        return self._values.text(declared.TRIGGER) == declared.BY_TIME_OF_PARTITION

    @property
    def _values(self) -> Values:
        return Values(declared.OPTIONS, self.options)

    @property
    def _times(self) -> JavaObject:
        return java_class(self.spark._jvm, "org.compiledplan.kernel.files.PartitionTimes")


def _reason(fault: Exception) -> str:
    java_fault = getattr(fault, "java_exception", None)
    return str(fault if java_fault is None else java_fault.getMessage()).partition("\n")[0]
