"""The connector `inline`: a DataFrame of the program that runs the plan, read as a table.

A DataFrame of pandas or PyArrow becomes one Parquet file in a folder of this process. A batch DataFrame of Spark is
written to such a folder when a run starts, as are other `HeldRows`; a streaming one is read directly. The folders are
deleted with the data, see `plans.connectors.held`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.connectors.held import Held, held_by
from compiled_plan.plans.connectors.specs.inline import SPEC
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import (
    ORD,
    RowSource,
    SourceContext,
    TableSpec,
    insert_head,
    source_connector,
)
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import DataFrame
else:
    pa = deferred("pyarrow")
    pq = deferred("pyarrow.parquet")


@dataclass(frozen=True, slots=True)
class HeldTable:
    """An Arrow table whose columns have the types of `plans.execution.spark.arrow`."""

    rows: pa.Table


class HeldRows(Protocol):
    """Rows that a DataFrame of Spark has, with columns of the types of `plans.execution.spark.types`."""

    def stream(self) -> DataFrame | None:
        """The DataFrame if it is a stream; None for rows that a run reads once."""

    def use(self, write: Callable[[DataFrame], None]) -> None:
        """Call `write` with the rows; again if they have changed meanwhile."""


@dataclass(frozen=True, slots=True)
class HeldFrame:
    frame: DataFrame

    def stream(self) -> DataFrame | None:
        return self.frame if self.frame.isStreaming else None

    def use(self, write: Callable[[DataFrame], None]) -> None:
        write(self.frame)


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """A source for a table.

    Raises:
        UnsupportedError: the data belongs to another process.
    """
    held = held_by(table.options)
    if held is None:
        raise UnsupportedError(
            f"the data of {table.identifier} is a DataFrame of the program that compiled this plan",
            where=f"node {table.node}",
            remedy="execute the plan in that program, or read the data from files",
        )
    types = [to_spark(type_) for type_ in table.columns.types]
    names = [f"f{at}" for at in range(len(types))]
    data = held.data
    stream = None if isinstance(data, HeldTable) else data.stream()
    if stream is not None:
        rows = stream.toDF(*names).select(*insert_head(), *names)
    else:
        folder = _table_file(held, data) if isinstance(data, HeldTable) else _frame_files(held, data, names)
        rows = context.spark.readStream.schema(_schema(names, types)).parquet(str(folder))
        rows = rows.select(*insert_head(F.col(ORD)), *names)
    return RowSource(rows, bounded=stream is None, keeps=held)


def _schema(names: list[str], types: list[Any]) -> Any:
    fields = [s.StructField(name, type_, True) for name, type_ in zip(names, types, strict=True)]
    return s.StructType([s.StructField(ORD, s.LongType(), True), *fields])


def _table_file(held: Held, data: HeldTable) -> Path:
    """The folder with the one file of an Arrow table, written once."""
    if held.file is None:
        folder = held.folder()
        order = pa.array(range(data.rows.num_rows), type=pa.int64())
        names = [ORD, *(f"f{at}" for at in range(data.rows.num_columns))]
        pq.write_table(pa.table([order, *data.rows.columns], names=names), folder / "rows.parquet")
        held.file = folder
    return held.file


def _frame_files(held: Held, data: HeldRows, names: list[str]) -> Path:
    folder = held.folder() / "rows"

    def write(frame: DataFrame) -> None:
        rows = frame.toDF(*names).select(F.monotonically_increasing_id().alias(ORD), *names)
        rows.write.mode("overwrite").parquet(str(folder))

    data.use(write)
    return folder
