"""Rows of a test as Arrow tables, and as rows of the JVM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, TableSpec
from compiled_plan.plans.execution.spark.arrow import array_of
from compiled_plan.plans.execution.testing.engine import TableRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.nodes.tables import CatalogTable


def arrow_rows(table: TableSpec, rows: TableRows) -> pa.Table:
    """Rows for a source, with the columns of `connectors.testing.source_schema`."""
    width = len(table.columns.fields)
    columns = {
        KIND: pa.array(rows.kinds, type=pa.int8()),
        ORD: pa.array(rows.orders, type=pa.int64()),
    }
    for at, type_ in enumerate(table.columns.types):
        columns[f"f{at}"] = array_of([row[at] for row in rows.values], type_)
    places = {key: width + at for at, key in enumerate(rows.metadata)}
    for at, (key, type_) in enumerate(table.metadata):
        place = places.get(key)
        columns[f"m{at}"] = array_of([None if place is None else row[place] for row in rows.values], type_)
    return pa.table(columns)


def lookup_rows(spark: SparkSession, table: CatalogTable, rows: Sequence[Sequence[object]]) -> Any:
    """Rows of a lookup table as a Java list of Spark's rows."""
    types = [column.data_type for column in table.stored_columns]
    names = [f"f{at}" for at in range(len(types))]
    columns = [array_of([row[at] for row in rows], type_) for at, type_ in enumerate(types)]
    return spark.createDataFrame(pa.table(columns, names=names))._jdf.collectAsList()
