"""A Python function of each row over Arrow batches, written by hand: FOLDER."""

import sys

import pyarrow as pa
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]
from pyspark.sql.types import StringType

from tests.bench.functions import Label
from tests.bench.native import read, run, session

EVAL = Label().eval


@arrow_udf(StringType())  # type: ignore[untyped-decorator]
def label(keys: pa.Array, values: pa.Array) -> pa.Array:
    """`Label.eval` of every row."""
    return pa.array([EVAL(key, value) for key, value in zip(keys.to_pylist(), values.to_pylist(), strict=True)])


rows = read(session(), sys.argv[1], "k BIGINT, v BIGINT")
run(rows.select("k", label("k", "v")), "append")
