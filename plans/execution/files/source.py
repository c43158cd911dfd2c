"""File sources: the files of a folder, or one file; and the formats of tables of files.

Rows are ordered by the files' modification time, then path, then position in the file; those of one file by position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.checks import format_options
from compiled_plan.plans.connectors.dead_letters import puts_aside, unreadable_remedy
from compiled_plan.plans.connectors.specs.filesystem import SPEC
from compiled_plan.plans.execution.files.hadoop import Files, escaped_glob
from compiled_plan.plans.execution.formats.base import ONE_FILE, FileFormat, FormatTable, Order, shape
from compiled_plan.plans.execution.formats.lines import file_format
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, RowSource, SourceContext, TableSpec
from compiled_plan.plans.execution.interfaces.dead_letters import COLUMN as DEAD_LETTER
from compiled_plan.plans.execution.spark.java import JavaObject, column_of, java_class, java_column
from compiled_plan.plans.inspection.places import missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

#: The option for the folder name of null partition values.
PARTITION_NAME = "partition.default-name"


def format_of(table: TableSpec) -> tuple[FileFormat, FormatTable]:
    """The format of a table and its parameters."""
    name = table.options["format"]
    fields = tuple(field for field in table.columns.fields if field.name not in table.partition_keys)
    row = replace(table.columns, fields=fields)
    format_ = file_format(name)
    return format_, FormatTable(
        table.identifier,
        row,
        format_options(table.options, name),
        wanted=table.wanted,
        puts_aside=puts_aside(table.options),
        remedy=unreadable_remedy(SPEC, format_.spec, f"{name}."),
    )


def field_of(table: TableSpec, name: str) -> t.Field:
    field = table.columns.field_named(name)
    assert field is not None
    return field


def file_paths(spark: SparkSession) -> JavaObject:
    """The kernel's functions for paths of files."""
    return java_class(spark._jvm, "org.compiledplan.kernel.formats.files.FilePaths")


_EXTRA, _PARTITIONS = "e", "partitions"

#: Metadata keys and Spark's columns for them.
_METADATA: Mapping[str, str] = {
    "file.path": "_metadata.file_path",
    # Spark's own name column is URL-encoded, like its path.
    "file.name": "_metadata.file_path",
    "file.size": "_metadata.file_size",
    "file.modification-time": "_metadata.file_modification_time",
}


def source(table: TableSpec, context: SourceContext) -> RowSource:
    """Read a file or the files of a folder.

    Raises:
        UnsupportedError: an option, format or type that does not run.
        DataError: there is no such file or folder.
    """
    format_, spec = format_of(table)
    path = table.options["path"]
    files = Files(context.spark, path)
    if not files.exists(path):
        raise missing(path, table.identifier)
    reader = (
        context.spark.readStream.option("recursiveFileLookup", True)
        # No file is too old; by default Spark skips files a week older than the newest one.
        .option("maxFileAge", "36500d")
        .option("mergeSchema", False)
    )
    if context.max_files is not None:
        reader = reader.option("maxFilesPerTrigger", context.max_files)
    order = Order(len(path)) if files.is_folder(path) else ONE_FILE
    extra = [_metadata(key, context.spark).alias(f"{_EXTRA}{index}") for index, (key, _) in enumerate(table.metadata)]
    if table.partition_keys:
        extra.append(_partition_values(table, context.spark).alias(_PARTITIONS))
    scanned = format_.scan(reader, escaped_glob(files.root), spec, extra, order)
    return RowSource(_arranged(scanned, table), bounded="source.monitor-interval" not in table.options)


def _metadata(key: str, spark: SparkSession) -> Column:
    """A metadata column of files; the path is relative to the file system's root, as in Flink."""
    path = F.col(_METADATA[key])
    if key == "file.path":
        return column_of(file_paths(spark).pathOf(java_column(path)))
    if key == "file.name":
        return column_of(file_paths(spark).nameOf(java_column(path)))
    return path


def _partition_values(table: TableSpec, spark: SparkSession) -> Column:
    """A struct of the partition columns, parsed from the folders of a file."""
    fields = tuple(field_of(table, key) for key in table.partition_keys)
    return column_of(
        file_paths(spark).partitionsOf(
            f"table {table.identifier}",
            shape(replace(table.columns, fields=fields)),
            SPEC.values(table.options).text(PARTITION_NAME),
            java_column(F.col(_METADATA["file.path"])),
        )
    )


def _arranged(scanned: DataFrame, table: TableSpec) -> DataFrame:
    """The columns in the order of `RowSource`, with its names."""
    names = [field.name for field in table.columns.fields]
    stored = [name for name in names if name not in table.partition_keys]
    columns = [
        (F.col(_PARTITIONS)[name] if name in table.partition_keys else F.col(f"c{stored.index(name)}")).alias(
            f"f{index}"
        )
        for index, name in enumerate(names)
    ]
    metadata = [F.col(f"{_EXTRA}{index}").alias(f"m{index}") for index in range(len(table.metadata))]
    dead = [F.col(DEAD_LETTER)] if puts_aside(table.options) else []
    return scanned.select(KIND, ORD, PATH, *columns, *metadata, *dead)
