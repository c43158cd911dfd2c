"""What is the same in tables of files that are read and in those that are written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.checks import format_options
from compiled_plan.plans.connectors.dead_letters import puts_aside, unreadable_remedy
from compiled_plan.plans.connectors.specs.filesystem import SPEC
from compiled_plan.plans.execution.formats.base import FileFormat, FormatTable
from compiled_plan.plans.execution.formats.lines import file_format
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The option for the name of the folder of a partition without a value.
PARTITION_NAME = "partition.default-name"


def format_of(table: TableSpec) -> tuple[FileFormat, FormatTable]:
    """The table's format and what it needs."""
    name = table.options["format"]
    kept = tuple(field for field in table.columns.fields if field.name not in table.partition_keys)
    row = replace(table.columns, fields=kept)
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
    """A column of a table."""
    found = table.columns.field_named(name)
    assert found is not None
    return found


def file_paths(spark: SparkSession) -> Any:
    """The kernel's functions of the paths of files."""
    return java_class(spark._jvm, "org.compiledplan.kernel.formats.FilePaths")
