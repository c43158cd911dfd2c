"""Constant rows (a values node) as a source that gives them once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from plans.execution import checkpoint
from plans.execution.connectors.base import INSERT, KIND, ORD, PATH
from plans.execution.expressions import to_column
from plans.execution.operators.base import Lowering
from plans.execution.storage import Folder
from plans.execution.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from plans.nodes import Values


def values_source(node: Values, spark: SparkSession, folder: Folder, lowering: Lowering) -> DataFrame:
    """The rows of a values node.

    A file with one line inside the checkpoint starts them: Spark notes that it was read, so that a restart does not
    give the rows again.
    """
    name = f"{checkpoint.FOLDER}/values-{node.id}/once.txt"
    if not folder.holds(name):
        folder.write_text(name, "once\n")
    once = spark.readStream.text(folder.child(f"{checkpoint.FOLDER}/values-{node.id}"))
    types = node.output_type.types
    context = lowering.context(node)
    rows = [
        F.struct(
            F.lit(INSERT).cast("tinyint").alias(KIND),
            F.lit(at).cast("bigint").alias(ORD),
            F.lit(None).cast("binary").alias(PATH),
            *(
                to_column(cell, (), context).cast(to_spark(type_)).alias(f"f{column}")
                for column, (cell, type_) in enumerate(zip(row, types, strict=True))
            ),
        )
        for at, row in enumerate(node.tuples)
    ]
    if not rows:
        empty = [F.lit(None).cast(to_spark(type_)).alias(f"f{at}") for at, type_ in enumerate(types)]
        head = [F.lit(0).cast("tinyint").alias(KIND), F.lit(0).cast("bigint").alias(ORD)]
        return once.where(F.lit(False)).select(*head, F.lit(None).cast("binary").alias(PATH), *empty)
    names = [KIND, ORD, PATH, *(f"f{at}" for at in range(len(types)))]
    return once.select(F.inline(F.array(*rows))).toDF(*names)
