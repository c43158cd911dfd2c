"""The interface between formats and the connectors that read and write files.

A format reads files as a streaming DataFrame and writes rows as files. Its options are those of Flink's format of the
same name; the connector passes them without the format's prefix, validated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.execution.interfaces.connectors import (
    INSERT,
    KIND,
    ORD,
    PATH,
    TableSpec,
    insert_head,
    only_inserts,
)
from compiled_plan.plans.execution.spark.java import JavaObject, column_of, java_class, java_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader


@dataclass(frozen=True, slots=True)
class FormatTable:
    """The parameters of a format for a table.

    Args:
        table: the table's identifier, for messages.
        row: the columns in the files, in order.
        options: the format's options without prefix, validated.
        metadata: keys of the format's metadata to read, in order.
        wanted: of a source, the names of the used columns; None for all. Others may be null, of any type.
        puts_aside: of a source, True if unreadable records become rows of the kind `DEAD`, with the column `dead`.
        remedy: of a source, what to do about an unreadable record.
    """

    table: str
    row: t.RowType
    options: Mapping[str, str]
    metadata: tuple[str, ...] = ()
    wanted: frozenset[str] | None = None
    puts_aside: bool = False
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the rows of a table of files: by modification time of the file, its path, and position in it.

    Args:
        common: of the files of a folder, the length of their URIs' common prefix; None for one file, whose rows are
            numbered.
    """

    common: int | None = None

    def head(self, spark: SparkSession) -> tuple[Column, Column, Column]:
        """`kind`, `ord` and `path` of inserts from Spark's own file sources; they use `_metadata`."""
        kind, order, path = insert_head()
        if self.common is None:
            return kind, order, path
        time, uri = F.col("_metadata.file_modification_time"), F.col("_metadata.file_path")
        kernel = java_class(spark._jvm, "org.compiledplan.kernel.formats.files.FileOrder")
        path = column_of(kernel.orderOf(self.common, java_column(uri)))
        return kind, F.unix_micros(time).alias(ORD), path.alias(PATH)


ONE_FILE = Order()


class FileFormat(Protocol):
    """Reads and writes files of one kind."""

    @property
    def spec(self) -> FormatSpec:
        """The declaration of the format."""

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        """Read files.

        Args:
            files: the reader, with the options of the file source set.
            path: file, folder or glob.
            spec: columns, options and metadata.
            extra: columns to add, computed where the rows are read: they may use `_metadata`.
            order: the order of the rows.

        Returns:
            `kind`, `ord`, `path`, the columns as `c0`, `c1`, ..., the format's metadata as `x0`, ..., then `extra`;
            finally `dead` if unreadable records become dead letters.
        """

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        """The columns of the files, from `kind` and the table's columns as `c0`, `c1`, ...."""

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        """Prepare writing rows of these columns and the partition columns."""

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """Return True if a written file of this size in bytes has no row."""


FORMATS: dict[str, FileFormat] = {}


def checked_inserts(columns: list[Column], first: str) -> list[Column]:
    """Columns to write, inserts only: the first column depends on `kind`, or its check would be optimised away."""
    return [F.when(F.col(KIND) == INSERT, columns[0]).alias(first), *columns[1:]]


def register(format_: FileFormat) -> None:
    FORMATS[format_.spec.name] = format_


def writable_kind(spec: FormatSpec, table: TableSpec) -> Column:
    """`kind` of rows to write; if the format has only inserts, any other row fails the run."""
    if not spec.writes.insert_only:
        return F.col(KIND)
    holder = f"format {spec.name!r} of table {table.identifier}"
    return only_inserts(f"{holder} supports only inserts, and the plan writes an update or delete")


def shape(type_: t.LogicalType) -> str:
    """A type as the kernel's formats expect it, JSON text."""
    return json.dumps(_shape(type_))


def _shape(type_: t.LogicalType) -> dict[str, object]:
    shape: dict[str, object] = {"root": type_.ROOT, "text": type_.text()}
    for name in ("precision", "scale"):
        value = getattr(type_, name, None)
        if value is not None:
            shape[name] = value
    if isinstance(type_, t.FieldsType):
        shape["names"] = list(type_.names)
    shape["children"] = [_shape(child) for child in type_.children()]
    return shape


def walk(type_: t.LogicalType) -> list[t.LogicalType]:
    """A type and all types within it."""
    return reduce(lambda types, child: types + walk(child), type_.children(), [type_])


def kernel_formats(spark: SparkSession) -> JavaObject:
    return java_class(spark._jvm, "org.compiledplan.kernel.formats.Formats")
