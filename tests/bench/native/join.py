"""Inner join of two streams, with a TTL of one hour of processing time on each side: LEFT RIGHT."""

import sys

from pyspark.sql import functions as F

from tests.bench.native import read, run, session

spark = session()
left = read(spark, sys.argv[1], "k BIGINT, v BIGINT").withColumn("p_left", F.current_timestamp())
right = read(spark, sys.argv[2], "k BIGINT, v BIGINT").withColumn("p_right", F.current_timestamp())
left = left.withWatermark("p_left", "0 seconds").withColumnsRenamed({"k": "kl", "v": "vl"})
right = right.withWatermark("p_right", "0 seconds")
joined = left.join(
    right, F.expr("kl = k AND p_right <= p_left + INTERVAL 1 HOUR AND p_left <= p_right + INTERVAL 1 HOUR")
)
run(joined.select("k", "vl", "v"), "append")
