"""What a format gives to the connectors that read and write files.

A format reads files as a streaming DataFrame and writes rows as files. Its options are those of Flink's format of the
same name; the connector hands them over without the format's prefix, checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

from plans import types as t
from plans.execution.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

#: Column of a scan: bytes to append to a row's path, null for most rows.
SUFFIX = "suffix"


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What a format needs to know.

    Args:
        table: the table's identifier, for messages.
        row: the columns that are in the files, in order.
        options: the format's options without prefix, checked.
        metadata: keys of the format's metadata that are asked for, in order.
        wanted: of a source, the names of the columns that are used; None for all. The others may be null, of any type.
    """

    table: str
    row: t.RowType
    options: Mapping[str, str]
    metadata: tuple[str, ...] = ()
    wanted: frozenset[str] | None = None

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean option."""
        return self.options.get(name, str(default)).strip().lower() == "true"


class Format(Protocol):
    """Reads and writes files of one kind."""

    @property
    def name(self) -> str:
        """The name in the option 'format'."""

    @property
    def extension(self) -> str:
        """The end of the names of its files, without the dot."""

    @property
    def inserts_only(self) -> bool:
        """Whether it holds inserts alone, no updates or deletes."""

    @property
    def metadata(self) -> Mapping[str, t.LogicalType]:
        """Metadata keys and the logical types of their values."""

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Read files.

        Args:
            files: the reader, with the options of the file source set.
            path: file, folder or glob.
            spec: columns, options and metadata.
            extra: columns to add, made where the rows are read: they may use `_metadata` and order_number().

        Returns:
            `kind`, `suffix`, the columns as `c0`, `c1`, ..., the format's metadata as `x0`, ..., then `extra`.
        """

    def writer(self, frame: DataFrame, spec: FormatSpec, extra: Sequence[Column]) -> DataFrameWriter:
        """Prepare writing rows.

        Args:
            frame: `kind` and the columns as `c0`, `c1`, ..., and whatever `extra` uses.
            spec: columns and options.
            extra: columns that become folders, by their names.
        """

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """Whether a written file of this size in bytes has no row."""


_FORMATS: dict[str, Format] = {}


def register(format_: Format) -> None:
    """Make a format known by its name."""
    _FORMATS[format_.name] = format_


def formats() -> Mapping[str, Format]:
    """All formats by name."""
    return _FORMATS


def shape(type_: t.LogicalType) -> str:
    """A type as the kernel's formats take it, JSON text."""
    return json.dumps(_shape(type_))


def _shape(type_: t.LogicalType) -> dict[str, Any]:
    found: dict[str, Any] = {"root": type_.ROOT, "text": type_.text()}
    for name in ("precision", "scale"):
        value = getattr(type_, name, None)
        if value is not None:
            found[name] = value
    if isinstance(type_, t.FieldsType):
        found["names"] = list(type_.names)
    found["children"] = [_shape(child) for child in type_.children()]
    return found


def walk(type_: t.LogicalType) -> list[t.LogicalType]:
    """A type and all types within it."""
    return reduce(lambda found, child: found + walk(child), type_.children(), [type_])


def kernel_formats(spark: SparkSession) -> Any:
    """The kernel's `Formats` class."""
    jvm: Any = spark._jvm
    return java_class(jvm, "org.compiledplan.kernel.formats.Formats")


def column(java_column: Any) -> Column:
    """A JVM column as a column of PySpark."""
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(java_column)


def java_column(of: Column) -> Any:
    """The JVM column behind a column of PySpark."""
    return of._jc
