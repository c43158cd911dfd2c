"""Regular expressions skip texts without a required substring; `NeedleTest` tests its detection."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java


def test_functions_match_nothing_without_the_needle(spark: SparkSession) -> None:
    texts = ["", "a=1", "xa=2y", "b=3", "A=1", None]
    frame = spark.createDataFrame([(text,) for text in texts], "t STRING")
    regex = F.lit("(^|x)a=(.)")
    rows = frame.select(
        java("REGEXP_EXTRACT", "string", F.col("t"), regex, F.lit(2)),
        java("REGEXP", "boolean", F.col("t"), regex),
        java("REGEXP_REPLACE", "string", F.col("t"), regex, F.lit("-")),
        java("REGEXP_COUNT", "int", F.col("t"), regex),
        java("REGEXP_INSTR", "int", F.col("t"), regex),
        java("REGEXP_SUBSTR", "string", F.col("t"), regex),
    ).collect()
    assert [tuple(row) for row in rows] == [
        (None, False, "", 0, 0, None),
        ("1", True, "-", 1, 1, "a=1"),
        ("2", True, "-y", 1, 1, "xa=2"),
        (None, False, "b=3", 0, 0, None),
        (None, False, "A=1", 0, 0, None),
        (None, None, None, None, None, None),
    ]
