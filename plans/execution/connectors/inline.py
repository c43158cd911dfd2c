"""The connector `inline`: a DataFrame of the program that runs the plan, read as a table.

A DataFrame of pandas or PyArrow becomes one Parquet file in a folder of this process; one of Spark is written to such
a folder when a run starts; a streaming one is read as it is.
"""

from __future__ import annotations

import atexit
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from plans.errors import UnsupportedError
from plans.execution.connectors.base import INSERT, KIND, ORD, PATH, Source, SourceContext, TableSpec, source_connector
from plans.execution.types import to_spark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class HeldTable:
    """An Arrow table whose columns have the types of `plans.execution.arrow`."""

    rows: pa.Table


@dataclass(frozen=True, slots=True)
class HeldFrame:
    """A DataFrame of Spark whose columns have the types of `plans.execution.types`."""

    frame: DataFrame


#: The data of tables, by the option `id`.
HELD: dict[str, HeldTable | HeldFrame] = {}
_FILES: dict[str, Path] = {}


@source_connector("inline")
def source(table: TableSpec, context: SourceContext) -> Source:
    """A source for a table.

    Raises:
        UnsupportedError: the data is not of this process.
    """
    name = table.options.get("id", "")
    held = HELD.get(name)
    if held is None:
        raise UnsupportedError(
            f"the data of {table.identifier} is a DataFrame of the program that compiled this plan",
            where=f"node {table.node}",
            remedy="execute the plan in that program, or read the data from files",
        )
    from pyspark.sql import functions as F

    types = [to_spark(type_) for type_ in table.columns.types]
    names = [f"f{at}" for at in range(len(types))]
    if isinstance(held, HeldFrame) and held.frame.isStreaming:
        rows = held.frame.toDF(*names).withColumn(ORD, F.call_function("order_number"))
    else:
        folder = _table_file(name, held) if isinstance(held, HeldTable) else _frame_files(held, names)
        rows = context.spark.readStream.schema(_schema(names, types)).parquet(str(folder))
    columns = [F.lit(INSERT).cast("tinyint").alias(KIND), F.col(ORD), F.lit(None).cast("binary").alias(PATH)]
    return Source(rows.select(*columns, *names), bounded=not (isinstance(held, HeldFrame) and held.frame.isStreaming))


def _schema(names: list[str], types: list[Any]) -> Any:
    from pyspark.sql import types as s

    fields = [s.StructField(name, type_, True) for name, type_ in zip(names, types, strict=True)]
    return s.StructType([s.StructField(ORD, s.LongType(), True), *fields])


def _table_file(name: str, held: HeldTable) -> Path:
    """The folder with the one file of an Arrow table, written once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if name not in _FILES:
        folder = _folder()
        order = pa.array(range(held.rows.num_rows), type=pa.int64())
        names = [ORD, *(f"f{at}" for at in range(held.rows.num_columns))]
        pq.write_table(pa.table([order, *held.rows.columns], names=names), folder / "rows.parquet")
        _FILES[name] = folder
    return _FILES[name]


def _frame_files(held: HeldFrame, names: list[str]) -> Path:
    from pyspark.sql import functions as F

    folder = _folder() / "rows"
    held.frame.toDF(*names).select(F.monotonically_increasing_id().alias(ORD), *names).write.parquet(str(folder))
    return folder


def _folder() -> Path:
    folder = Path(mkdtemp(prefix="compiled-plan-rows-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
