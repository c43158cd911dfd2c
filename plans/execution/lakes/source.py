"""Sources from tables of lakes: a stream, whose position is in Spark's checkpoint, or one batch read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import RowSource, SourceContext, TableSpec
from compiled_plan.plans.execution.lakes.table import LakeTable, failed, missing
from compiled_plan.plans.execution.providers.columns import check_columns, plan_columns
from compiled_plan.plans.execution.providers.whole import whole
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    Head = tuple[Column, Column, Column]


@dataclass(frozen=True, slots=True)
class Scan:
    """A read of a table.

    Args:
        options: those of Spark's reader.
        streams: True for a stream; otherwise the table is read once.
        head: `kind`, `ord` and `path` of its rows.
        extra: the names of further columns, which `head` reads.
        provider: the class of the kernel that reads the table; empty for the format itself.
    """

    options: Mapping[str, str]
    streams: bool
    head: Head
    extra: tuple[str, ...] = ()
    provider: str = ""


def read(table: TableSpec, target: LakeTable, context: SourceContext, scan: Callable[[], Scan]) -> RowSource:
    """The rows or changes of a table; columns that the plan does not use are null.

    Args:
        table: the table in the plan.
        target: the table in the lake.
        context: the environment of the source.
        scan: returns the read of a table that exists.

    Raises:
        DataError: the table does not exist, its columns differ, or it has no change data feed.
        ExecutionError: the format refuses; gives its reason.
    """
    try:
        columns = target.columns()
        if columns is None:
            raise missing(table, target.title)
        check_columns(table, columns, target.title)
        return _opened(table, target, context, scan())
    except (PySparkException, Py4JJavaError) as fault:
        raise failed(table, target.title, "read", fault) from fault


def _opened(table: TableSpec, target: LakeTable, context: SourceContext, scan: Scan) -> RowSource:
    reader: Any = context.spark.readStream if scan.streams else context.spark.read
    reader = reader.options(**scan.options)
    frame = reader.format(scan.provider).load() if scan.provider else target.load(reader)
    if scan.streams:
        return RowSource(_rows(frame, table, scan.head), bounded=False)
    stream, held = whole(frame.select(*(F.col(quote_identifier(name)) for name in (*table.used, *scan.extra))))
    return RowSource(_rows(stream, table, scan.head), bounded=True, keeps=held)


def _rows(frame: DataFrame, table: TableSpec, head: Head) -> DataFrame:
    columns = enumerate(plan_columns(table))
    return frame.select(*head, *(column.alias(f"f{at}") for at, column in columns))
