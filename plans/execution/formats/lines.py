"""What the formats of lines (JSON, CSV) share: the kernel turns a line into changes, and a change into a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.base import KIND
from compiled_plan.plans.execution.connectors.dead_letters import COLUMN, DEAD, dead_letter
from compiled_plan.plans.execution.formats.base import SUFFIX, FormatTable, column, java_column, kernel_formats, shape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_WHOLE_FILES = "org.compiledplan.kernel.formats.WholeFileText"


class LineFormat:
    """Base of the formats of lines. A subclass names itself and its options."""

    spec: FormatSpec

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file without a line; see `Format.is_empty`."""
        return size == 0

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        """The table as the kernel takes it; refuses options that only Java can check."""
        return spec

    def changes(self, spark: SparkSession, spec: FormatTable, line: Column) -> Column:
        """The changes of a line: an array of structs of kind, suffix of the path, the columns, and metadata."""
        return self._read("changes", spark, spec, line)

    def message_changes(self, spark: SparkSession, spec: FormatTable, part: Column, place: Sequence[Column]) -> Column:
        """The changes of a part of a message; see `changes`.

        Args:
            spark: the session.
            spec: the table.
            part: the part's text.
            place: topic, partition and offset of the message, which an error names.
        """
        return self._read("messageChanges", spark, spec, part, *place)

    def outcome(self, spark: SparkSession, spec: FormatTable, line: Column) -> Column:
        """A struct of the changes of a line, and what is wrong with one that cannot be read; see `changes`.

        That is a struct of `line`, its number in its file, `reason` and `record`; null where nothing is wrong.
        """
        return self._read("outcome", spark, spec, line)

    def _read(self, what: str, spark: SparkSession, spec: FormatTable, *given: Column) -> Column:
        """What a function of the kernel makes of a line."""
        spec = self.prepared(spark, spec)
        options, columns = dict(spec.options), map(java_column, given)
        made = getattr(kernel_formats(spark), what)(
            self.spec.name, table_text(spec), shape(spec.row), options, list(spec.metadata), *columns
        )
        return column(made)

    def lines(self, files: DataStreamReader, path: str, spec: FormatTable) -> DataFrame:
        """The lines of files as a frame of one column, `value`; each file by one task where lines are numbered."""
        if not spec.puts_aside:
            return files.option("lineSep", "\n").text(path)
        return self.whole_lines(files, path)

    def whole_lines(self, files: DataStreamReader, path: str) -> DataFrame:
        """The lines of files, each of which is read by one task from its first line to its last."""
        # Of all formats Spark knows the schema of its own text files alone.
        return files.format(_WHOLE_FILES).schema("value string").option("lineSep", "\n").load(path)

    def line(self, spark: SparkSession, spec: FormatTable, kind: Column, row: Column) -> Column:
        """The line of a change, a text."""
        spec = self.prepared(spark, spec)
        options = dict(spec.options)
        made = kernel_formats(spark).line(
            self.spec.name, table_text(spec), shape(spec.row), options, java_column(kind), java_column(row)
        )
        return column(made)

    def columns(self, spark: SparkSession, spec: FormatTable) -> list[Column]:
        """The column of the lines; see `FileFormat.columns`."""
        row = F.struct(*(F.col(f"c{index}") for index in range(len(spec.row.fields))))
        return [self.line(spark, spec, F.col(KIND), row).alias("value")]

    def writer(self, rows: DataFrame, spec: FormatTable) -> DataFrameWriter:
        """Files of lines; see `FileFormat.writer`."""
        return rows.write.format("text").option("lineSep", "\n")

    def decoded(self, lines: DataFrame, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """The columns of `Format.scan` from a frame of one column, `value`."""
        spark = lines.sparkSession
        if spec.puts_aside:
            outcome = self.outcome(spark, spec, F.col("value"))
            read = lines.select(outcome.alias("outcome"), F.col("_metadata.file_path").alias("file"), *extra)
            fault = F.col("outcome.fault")
            letter = dead_letter(spec.table, fault, file=F.col("file"), line=fault["line"])
            rest = [F.col(f"`{name}`") for name in read.columns[2:]]
            found = read.select(with_faults(read, letter).alias("changes"), *rest, letter.alias(COLUMN))
        else:
            found = lines.select(self.changes(spark, spec, F.col("value")).alias("changes"), *extra)
        rest = [F.col(f"`{name}`") for name in found.columns[1:]]
        names = (
            KIND,
            SUFFIX,
            *(f"c{index}" for index in range(len(spec.row.fields))),
            *(f"x{index}" for index in range(len(spec.metadata))),
        )
        # inline() takes the names from the structs, where a table's columns have their own.
        rows = found.select(F.inline("changes"), *rest)
        return rows.toDF(*names, *rows.columns[len(names) :])


class MessageFormat(LineFormat):
    """Base of the formats that are in messages alone, and not in files."""

    def scan(self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """Not for files, whose options are refused before; see `Format.scan`."""
        raise UnsupportedError(f"format {self.spec.name!r} is not in files", where=f"table {spec.table}")


def with_faults(read: DataFrame, wrong: Column) -> Column:
    """The changes in the column `outcome`, one of the kind `DEAD` where something is wrong."""
    (outcome,) = (field for field in read.schema.fields if field.name == "outcome")
    assert isinstance(outcome.dataType, StructType)
    changes = outcome.dataType["changes"].dataType
    assert isinstance(changes, ArrayType)
    assert isinstance(changes.elementType, StructType)
    kind, *others = changes.elementType.fields
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in others]
    dead = F.array(F.struct(F.lit(DEAD).cast(kind.dataType).alias(kind.name), *nothing))
    return F.when(wrong.isNotNull(), dead).otherwise(F.col("outcome.changes"))


def table_text(spec: FormatTable) -> str:
    """The table in messages."""
    return f"table {spec.table}"
