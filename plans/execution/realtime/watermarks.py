"""Event time in real-time mode: the watermarks of a query's sources, in control rows and in its checkpoint.

The watermarks of the sources' partitions are the position of the tick source, which Spark stores with each batch.
Spark's own watermark advances to that of all stages when a batch ends, so that no timer up to it is left: in this mode
Spark would fire it before the rows of upstream stages arrive.

Ticks are control rows that arrive in each partition of each stage ten times a second, because Spark fires the timers of
a partition only when it gets a row, and at the end of a batch. A tick belongs to no operator: it passes the stages in
its partition, and tells the sinks that time has passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.interfaces.connectors import RowSource
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.stages.control import MARK, ControlRows, TimedSource
from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks, timings_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.marks import position_of, read_marks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.spark.storage import Folder

#: The `op` of a tick; no operator has it.
TICK = "\u0001tick"
#: The class of the source.
SOURCE = "org.compiledplan.kernel.realtime.Ticks"
#: The interval of ticks in ms.
EVERY_MS = 100


def ticks(spark: SparkSession, partitions: int, watermarks: str = "") -> DataFrame:
    """A frame with the `key` that routes each row to its partition, and the watermarks from the kernel's `Ticks`.

    Args:
        partitions: number of shuffle partitions of each stage.
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
        names: their names in the checkpoint.
        partitions: number of shuffle partitions of each stage.
        folder: the generation on which it runs.
    """
    if not prepared.event_time:
        return ControlRows(ticks(spark, partitions))
    kernel_class = java_class(spark._jvm, "org.compiledplan.kernel.host.watermarks.RealTimeWatermarks")
    kernel: JavaObject = kernel_class.open(
        spark._jsparkSession, MARK, TICK, EVERY_MS, partitions, len(prepared.layout.stages)
    )
    sources = {}
    for number, (node, timing) in enumerate(sorted(timings_of(prepared).items())):
        apart = prepared.tables[node].table.options.get("connector") in _KAFKA
        watermarks = PartitionWatermarks.of(spark, timing.apart() if apart else timing)
        sources[node] = TimedSource(number, opened[node].partitions, watermarks)
        kernel.add(names[node], opened[node].partitions, timing.idle_ms, watermarks.kernel)
    kernel.base(position_of(read_marks(folder)))
    return ControlRows(ticks(spark, partitions, str(kernel.id())), tuple(kernel.keys()), sources, kernel)
