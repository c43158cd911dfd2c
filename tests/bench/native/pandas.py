"""A function of each batch as pandas, written by hand: FOLDER."""

import sys

import pandas as pd
from pyspark.sql.functions import pandas_udf  # type: ignore[attr-defined]
from pyspark.sql.types import DoubleType

from tests.bench.native import read, run, session


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def scaled(keys: pd.Series, values: pd.Series) -> pd.Series:
    """As `tests.bench.functions.scaled`; the workers do not import that module, which the product needs alone."""
    return keys * 0.5 + values


rows = read(session(), sys.argv[1], "k BIGINT, v BIGINT")
run(rows.select("k", scaled("k", "v")), "append")
