"""Deduplicate, join with a table, aggregate: the first DEPTH of them. DEPTH EVENTS GROUPS."""

import sys

from pyspark.sql import functions as F

from tests.bench.native import read, run, session

depth, events, groups = int(sys.argv[1]), sys.argv[2], sys.argv[3]
spark = session()
rows = read(spark, events, "id BIGINT, k BIGINT, v BIGINT").dropDuplicates(["id"])
if depth > 1:
    rows = rows.join(read(spark, groups, "k BIGINT, g BIGINT"), "k")
if depth > 2:
    rows = rows.groupBy("g").agg(F.count("*"), F.sum("v"))
run(rows, "update" if depth > 2 else "append")
