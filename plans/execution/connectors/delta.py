"""The connector `delta`: tables of Delta Lake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.specs.delta import SPEC
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
from compiled_plan.plans.execution.lakes.delta import DeltaTable
from compiled_plan.plans.execution.lakes.delta_source import scan
from compiled_plan.plans.execution.lakes.lookup import newest_rows, spec_of
from compiled_plan.plans.execution.lakes.source import read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> sinks.LakeSink:
    """Write a table. Raises as `lakes.sink.sink` does."""
    return sinks.sink(table, context, DeltaTable(context.spark, table), SPEC.values(table.options))


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """Read a table. Raises as `lakes.source.read` does."""
    target = DeltaTable(context.spark, table)
    return read(table, target, context, lambda: scan(table, target, SPEC.values(table.options), context))


@whole_lookup_connector(SPEC)
def lookup(table: LookupTable, spark: SparkSession) -> DataFrame:
    """Read the newest rows of a table. Raises as `lakes.lookup.newest_rows` does."""
    spec = spec_of(table)
    return newest_rows(spark, spec, DeltaTable(spark, spec))
