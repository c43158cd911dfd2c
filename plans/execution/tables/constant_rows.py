"""Constant rows (a values node) as a source that gives them once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, insert_head
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.spark.arrow import array_of
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.tables.constants import NotConstantError, value_of
from compiled_plan.plans.inspection.checkpoints import FOLDER
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.nodes.model import value_to_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.nodes.scan import Values


#: More rows than these are not written as expressions: Spark's analysis of them grows faster than their number.
_MANY = 40


def values_source(node: Values, spark: SparkSession, folder: Folder, lowering: Lowering) -> DataFrame:
    """The rows of a values node.

    A file with one line inside the checkpoint starts them: Spark notes that it was read, so that a restart does not
    give the rows again.
    """
    place = f"{FOLDER}/values-{digest_of(value_to_json(node.tuples))}"
    name = f"{place}/once.txt"
    if len(node.tuples) > _MANY and not folder.holds(name):
        found = _columns(node)
        if found is not None:
            return _rows_of_a_file(node, found, spark, folder, f"{place}/rows")
    if not folder.holds(name):
        folder.write_text(name, "once\n")
    once = spark.readStream.text(folder.child(place))
    types = node.output_type.types
    context = lowering.context(node)
    rows = [
        F.struct(
            *insert_head(F.lit(at).cast("bigint")),
            *(
                to_column(cell, (), context).cast(to_spark(type_)).alias(f"f{column}")
                for column, (cell, type_) in enumerate(zip(row, types, strict=True))
            ),
        )
        for at, row in enumerate(node.tuples)
    ]
    if not rows:
        empty = [F.lit(None).cast(to_spark(type_)).alias(f"f{at}") for at, type_ in enumerate(types)]
        return once.where(F.lit(False)).select(*insert_head(F.lit(0).cast("bigint")), *empty)
    names = [KIND, ORD, PATH, *(f"f{at}" for at in range(len(types)))]
    return once.select(F.inline(F.array(*rows))).toDF(*names)


def _columns(node: Values) -> list[list[Any]] | None:
    """The values of constant rows by column; None where some are not simply constants."""
    try:
        return [[value_of(row[at]) for row in node.tuples] for at in range(len(node.output_type.fields))]
    except NotConstantError:
        return None


def _rows_of_a_file(
    node: Values, columns: list[list[Any]], spark: SparkSession, folder: Folder, name: str
) -> DataFrame:
    """Constant rows as a Parquet file inside the checkpoint, which is read once."""
    import pyarrow as pa

    types = node.output_type.types
    names = [f"f{at}" for at in range(len(types))]
    fields = [s.StructField(name, to_spark(type_)) for name, type_ in zip(names, types, strict=True)]
    schema = s.StructType([s.StructField(ORD, s.LongType()), *fields])
    if not folder.holds(f"{name}/_SUCCESS"):
        arrays = [pa.array(range(len(node.tuples)), type=pa.int64())]
        arrays += [array_of(column, type_) for column, type_ in zip(columns, types, strict=True)]
        rows = spark.createDataFrame(pa.table(arrays, names=[ORD, *names]), schema=schema)
        rows.coalesce(1).write.mode("overwrite").parquet(folder.child(name))
    found = spark.readStream.schema(schema).parquet(folder.child(name))
    return found.select(*insert_head(F.col(ORD)), *names)
