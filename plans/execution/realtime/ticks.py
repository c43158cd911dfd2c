"""Ticks: control rows that come to each partition of each stage ten times a second.

Spark fires the timers of a partition when a row of it has come, and at the end of a batch. A tick belongs to no
operator: it passes the stages in the partition that it is for, and tells the sinks that time has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What `op` says of a tick; no operator has it.
TICK = "\u0001tick"
#: The class of the source.
SOURCE = "org.compiledplan.kernel.realtime.Ticks"
#: How many ms there are between two of them.
EVERY_MS = 100


def ticks(spark: SparkSession, partitions: int, watermarks: str = "") -> DataFrame:
    """A frame with the `key` that takes each row to its partition, and what the kernel's `Ticks` says of sources.

    Args:
        spark: the session.
        partitions: shuffle partitions of each stage.
        watermarks: the id of the kernel's `RealTimeWatermarks`; empty in plans without event time.
    """
    reader = spark.readStream.format(SOURCE).option("op", TICK).option("partitions", partitions)
    return reader.option("every", EVERY_MS).option("watermarks", watermarks).load()
