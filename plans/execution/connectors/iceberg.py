"""The connector `iceberg`: tables of Apache Iceberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.specs.iceberg import SPEC
from compiled_plan.plans.execution.interfaces.connectors import (
    LookupTable,
    RowSource,
    SinkContext,
    SourceContext,
    TableSpec,
    sink_connector,
    source_connector,
    whole_lookup_connector,
)
from compiled_plan.plans.execution.lakes import sink as sinks
from compiled_plan.plans.execution.lakes.iceberg import IcebergTable
from compiled_plan.plans.execution.lakes.iceberg_source import scan
from compiled_plan.plans.execution.lakes.lookup import newest_rows, spec_of
from compiled_plan.plans.execution.lakes.source import read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> sinks.LakeSink:
    """Write a table. Raises as `lakes.sink.sink` does."""
    options = SPEC.values(table.options)
    return sinks.sink(table, context, IcebergTable(context.spark, table, options), options)


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """Read a table. Raises as `lakes.source.read` does."""
    options = SPEC.values(table.options)
    target = IcebergTable(context.spark, table, options)
    return read(table, target, context, lambda: scan(table, target, options, context))


@whole_lookup_connector(SPEC)
def lookup(table: LookupTable, spark: SparkSession) -> DataFrame:
    """Read the newest rows of a table. Raises as `lakes.lookup.newest_rows` does."""
    spec = spec_of(table)
    return newest_rows(spark, spec, IcebergTable(spark, spec, SPEC.values(table.options)))
