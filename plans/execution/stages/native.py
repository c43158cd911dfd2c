"""A stage in Spark's own operator: `dropDuplicatesWithinWatermark` instead of the kernel's keep-first deduplicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SEEN = "seen"
#: What Spark reads a column's watermark delay from. As a delay of `withWatermark` the TTL would count twice: the
#: watermark would be behind the clock by it, and a key is forgotten so much later again.
_DELAY = "spark.watermarkDelayMs"


def first_of_each_key(envelope: DataFrame, ttl_ms: int, port: str, output: str) -> DataFrame:
    """The first row of each operator and key, remembered for the TTL by the clock.

    Args:
        envelope: the rows in front of the stage.
        ttl_ms: how long a key is remembered.
        port: the column with the operator's rows.
        output: the column that they are to be in behind the stage.
    """
    seen = envelope.withColumn(_SEEN, F.current_timestamp()).withWatermark(_SEEN, "0 seconds")
    delayed = seen.withColumn(_SEEN, F.col(_SEEN).alias(_SEEN, metadata={_DELAY: ttl_ms}))
    return delayed.dropDuplicatesWithinWatermark(["op", "key"]).drop(_SEEN).withColumnRenamed(port, output)
