"""Line formats (JSON, CSV): the kernel decodes a line into changes, and encodes a change as a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.registry import format_spec, module_name
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.formats.base import (
    FORMATS,
    ONE_FILE,
    FileFormat,
    FormatTable,
    Order,
    kernel_formats,
    register,
    shape,
)
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND, ORD, PATH
from compiled_plan.plans.execution.interfaces.dead_letters import COLUMN, DEAD, dead_letter
from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column
from compiled_plan.plans.types.changelog import ChangelogMode

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_FILES = "org.compiledplan.kernel.lines.LineFiles"


class LineFormat:
    """A line format; formats that need only the kernel's code have no module of their own here.

    Args:
        spec: the format.
    """

    #: True if a record may span lines, so that one task reads a file.
    in_one_piece = False

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """Return True for a file without a line."""
        return size == 0

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        """Resolve options for the kernel; refuse options that only Java can check."""
        return spec

    def message_changes(self, spark: SparkSession, spec: FormatTable, part: Column, place: Sequence[Column]) -> Column:
        """Decode a part of a message into an array of structs of kind, suffix of the path, columns, and metadata.

        Args:
            spec: the table.
            part: the part's text.
            place: topic, partition and offset of the message, for errors.
        """
        return self._read("messageChanges", spark, spec, part, *place)

    def message_outcome(self, spark: SparkSession, spec: FormatTable, part: Column) -> Column:
        """Decode a part of a message into a struct of its changes, and its fault if it is unreadable.

        The fault is a struct of `reason` and `record`; null for a readable part.
        """
        return self._read("messageOutcome", spark, spec, part)

    def _read(self, function: str, spark: SparkSession, spec: FormatTable, *arguments: Column) -> Column:
        """Apply a function of the kernel's formats to a part of a message."""
        spec = self.prepared(spark, spec)
        options, columns = _reading_options(spec), map(java_column, arguments)
        read = getattr(kernel_formats(spark), function)(
            self.spec.name, table_text(spec), shape(spec.row), options, list(spec.metadata), *columns
        )
        return column_of(read)

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        spark: SparkSession = files._spark
        prepared = self.prepared(spark, spec)
        kernel = java_class(spark._jvm, _FILES)
        type_, metadata = shape(prepared.row), list(spec.metadata)
        schema = StructType.fromJson(json.loads(kernel.schema(type_, metadata, spec.puts_aside)))
        settings = {
            "format": self.spec.name,
            "table": table_text(spec),
            "shape": type_,
            "settings": json.dumps(_reading_options(prepared)),
            "metadata": json.dumps(metadata),
            "common": str(-1 if order.common is None else order.common),
            "putsAside": str(spec.puts_aside).lower(),
            "whole": str(spec.puts_aside or self.in_one_piece).lower(),
        }
        rows: DataFrame = files.format(_FILES).schema(schema).options(**settings).load(path)
        inserts = self.spec.reads == ChangelogMode.INSERT and not spec.puts_aside
        kind = F.lit(INSERT).cast("tinyint").alias(KIND) if inserts else F.col(KIND)
        columns = [F.col(f"c{at}") if _is_wanted(spec, at) else F.lit(None) for at in range(len(spec.row.fields))]
        selected = [kind, F.col(ORD), F.col(PATH), *(column.alias(f"c{at}") for at, column in enumerate(columns))]
        selected += [F.col(f"m{at}").alias(f"x{at}") for at in range(len(metadata))]
        if spec.puts_aside:
            fault = F.col("fault")
            letter = dead_letter(spec.table, fault, file=F.col("_metadata.file_path"), line=fault["line"])
            return rows.select(*selected, *extra, letter.alias(COLUMN))
        return rows.select(*selected, *extra)

    def line(self, spark: SparkSession, spec: FormatTable, kind: Column, row: Column) -> Column:
        """The line of a change, a text."""
        spec = self.prepared(spark, spec)
        options = dict(spec.options)
        line = kernel_formats(spark).line(
            self.spec.name, table_text(spec), shape(spec.row), options, java_column(kind), java_column(row)
        )
        return column_of(line)

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        row = F.struct(*(F.col(f"c{index}") for index in range(len(spec.row.fields))))
        return [self.line(spark, spec, F.col(KIND), row).alias("value")]

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        return rows.write.format("text").option("lineSep", "\n")


class MessageFormat(LineFormat):
    """Base of formats for messages only, not files."""

    def scan(
        self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column], order: Order = ONE_FILE
    ) -> DataFrame:
        """Not for files: their options are refused before."""
        raise UnsupportedError(f"format {self.spec.name!r} does not support files", where=f"table {spec.table}")


def _reading_options(spec: FormatTable) -> dict[str, str]:
    """The options of a decoder of the kernel."""
    return {**spec.options, **({"remedy": spec.remedy} if spec.remedy else {})}


def _is_wanted(spec: FormatTable, at: int) -> bool:
    return spec.wanted is None or spec.row.fields[at].name in spec.wanted


def with_faults(read: DataFrame, wrong: Column) -> Column:
    """The changes in the column `outcome`, or one of the kind `DEAD` if there is a fault."""
    (outcome,) = (field for field in read.schema.fields if field.name == "outcome")
    assert isinstance(outcome.dataType, StructType)
    changes = outcome.dataType["changes"].dataType
    assert isinstance(changes, ArrayType)
    assert isinstance(changes.elementType, StructType)
    kind, *others = changes.elementType.fields
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in others]
    dead = F.array(F.struct(F.lit(DEAD).cast(kind.dataType).alias(kind.name), *nothing))
    return F.when(wrong.isNotNull(), dead).otherwise(F.col("outcome.changes"))


def file_format(name: str) -> FileFormat:
    """The format of a name that has a spec."""
    module = f"{__package__}.{module_name(name)}"
    if name not in FORMATS and find_spec(module) is not None:
        import_module(module)
    if name not in FORMATS:
        spec = format_spec(name)
        assert spec is not None, name
        register(LineFormat(spec))
    return FORMATS[name]


def table_text(spec: FormatTable) -> str:
    """The name of the table in messages."""
    return f"table {spec.table}"
