"""Event time in real-time mode: the watermarks of a query's sources, in control rows and in its checkpoint.

What the partitions of the sources have reached is the position of the source of ticks: Spark writes it down with each
batch. Spark's own watermark goes to where all stages are when a batch ends, so that no timer up to it is left: in this
mode Spark would fire it before the rows of the stages in front had come.

Ticks are control rows that come to each partition of each stage ten times a second, since Spark fires the timers of a
partition when a row of it has come, and at the end of a batch. A tick belongs to no operator: it passes the stages in
the partition that it is for, and tells the sinks that time has passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.checkpoint.marks import position_of, read_marks
from compiled_plan.plans.execution.interfaces.connectors import RowSource
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.control import MARK, ControlRows, TimedSource
from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks, timings_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.spark.storage import Folder

#: What `op` says of a tick; no operator has it.
TICK = "\u0001tick"
#: The class of the source.
SOURCE = "org.compiledplan.kernel.realtime.Ticks"
#: How many ms there are between two of them.
EVERY_MS = 100


def ticks(spark: SparkSession, partitions: int, watermarks: str = "") -> DataFrame:
    """A frame with the `key` that takes each row to its partition, and what the kernel's `Ticks` says of sources.

    Args:
        partitions: shuffle partitions of each stage.
        watermarks: the id of the kernel's `RealTimeWatermarks`; empty in plans without event time.
    """
    reader = spark.readStream.format(SOURCE).option("op", TICK).option("partitions", partitions)
    return reader.option("every", EVERY_MS).option("watermarks", watermarks).load()


_KAFKA = frozenset({"kafka", "upsert-kafka"})


def control_rows(
    spark: SparkSession,
    prepared: PreparedPlan,
    opened: Mapping[int, RowSource],
    names: Mapping[int, str],
    partitions: int,
    folder: Folder,
) -> ControlRows:
    """The control rows of a plan.

    Args:
        opened: its sources, by node.
        names: under which the checkpoint knows them.
        partitions: of each stage.
        folder: the generation that it runs on.
    """
    if not prepared.event_time:
        return ControlRows(ticks(spark, partitions))
    kernel_class = java_class(spark._jvm, "org.compiledplan.kernel.host.RealTimeWatermarks")
    kernel: Any = kernel_class.open(spark._jsparkSession, MARK, TICK, EVERY_MS, partitions, len(prepared.layout.stages))
    sources = {}
    for number, (node, timing) in enumerate(sorted(timings_of(prepared).items())):
        apart = prepared.tables[node].table.options.get("connector") in _KAFKA
        watermarks = PartitionWatermarks.of(spark, timing.apart() if apart else timing)
        sources[node] = TimedSource(number, opened[node].partitions, watermarks)
        kernel.add(names[node], opened[node].partitions, timing.idle_ms, watermarks.kernel)
    kernel.base(position_of(read_marks(folder)))
    return ControlRows(ticks(spark, partitions, str(kernel.id())), tuple(kernel.keys()), sources, kernel)
