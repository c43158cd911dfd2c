"""Lookups in tables of lakes: the newest rows of a table, read anew in every micro-batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans.execution.interfaces.connectors import LookupTable, TableSpec
from compiled_plan.plans.execution.lakes.table import LakeTable, failed, missing
from compiled_plan.plans.execution.providers.columns import check_columns, plan_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NEWEST = "org.compiledplan.kernel.host.input.NewestRows"


def spec_of(table: LookupTable) -> TableSpec:
    """The table with the columns of a lookup."""
    return TableSpec(table.identifier, table.columns, table.options)


def newest_rows(spark: SparkSession, table: TableSpec, target: LakeTable) -> DataFrame:
    """The columns of a looked-up table: `v0` and so on.

    Args:
        table: the table in the plan.
        target: the table in the lake.

    Raises:
        DataError: the table does not exist, or its columns differ.
        ExecutionError: the format refuses; gives its reason.
    """
    try:
        columns = target.columns()
        if columns is None:
            raise missing(table, target.title)
        check_columns(table, columns, target.title)
        reader = spark.read.format(_NEWEST).option("table", target.name).option("refreshes", target.is_cached)
        return reader.load().select(*(column.alias(f"v{at}") for at, column in enumerate(plan_columns(table))))
    except (PySparkException, Py4JJavaError) as fault:
        raise failed(table, target.title, "looked up", fault) from fault
