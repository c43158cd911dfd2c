"""Count and sum of each key with Spark's own aggregate: FOLDER."""

import sys

from pyspark.sql import functions as F

from tests.bench.native import read, run, session

rows = read(session(), sys.argv[1], "k BIGINT, v BIGINT")
run(rows.groupBy("k").agg(F.count("*"), F.sum("v")), "update")
