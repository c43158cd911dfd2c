"""Records of the rows that sinks would write, as files of Parquet by sink and micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.plans.execution.interfaces.connectors import RowSink, SinkContext, TableSpec
from compiled_plan.plans.execution.spark.storage import Folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The column with the number of the micro-batch.
BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a program's sinks.

    Args:
        folder: the folder of all records.
        sinks: the names of the recorded sinks, see `TableSpec.sink`; rows of others, such as dead letters, are dropped.
        after: called after each table of a micro-batch.
    """

    folder: Folder
    sinks: frozenset[str]
    after: Callable[[], None] = lambda: None

    def open(self, table: TableSpec, context: SinkContext) -> RowSink:
        """A sink that records rows in place of a table's own."""
        return _Recorded(self._place(table.sink) if table.sink in self.sinks else "", self.after)

    def rows(self, sink: str, spark: SparkSession) -> DataFrame:
        """The rows recorded for a sink."""
        return spark.read.parquet(self._place(sink))

    def holds(self, sink: str) -> bool:
        """Return True if a micro-batch was recorded for a sink."""
        return self.folder.holds(_name(sink))

    def remove(self) -> None:
        self.folder.remove()

    def _place(self, sink: str) -> str:
        return self.folder.child(_name(sink))


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A sink that records rows in a folder; with an empty name it drops them."""

    READS_ORDER: ClassVar[bool] = True
    folder: str
    after: Callable[[], None]

    def write(self, frame: DataFrame, batch_id: int) -> None:
        if self.folder:
            frame.write.mode("overwrite").parquet(f"{self.folder}/{BATCH}={batch_id}")
        else:
            frame.write.format("noop").mode("overwrite").save()
        self.after()


def _name(sink: str) -> str:
    # A name may have characters that paths cannot have.
    return sha256(sink.encode()).hexdigest()[:16]
