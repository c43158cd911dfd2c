"""Watermarks: their computation from a source's rows, their combination, and the end of input.

Spark's watermark, one for the query, advances between micro-batches and fires timers. If partitions of a source have
watermarks of their own, the driver sets it (`event_time`). Lateness of a row is relative to the watermark of its own
source when the row arrived, which is computed row by row as in Flink and travels with the row.

At the end of bounded input every source gets one more row, far in the future, from a file in the checkpoint: it
advances the watermark and is then dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.expressions.zones import as_point
from compiled_plan.plans.execution.operators.base import Flow, Lowering, is_stateless, lower_stateless
from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column
from compiled_plan.plans.execution.stages.prepared import consumers
from compiled_plan.plans.inspection.placement import assigns_below
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.stateless import WatermarkAssigner
from compiled_plan.plans.rex import RexNode

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks
    from compiled_plan.plans.plan import CompiledPlan

WATERMARK = "watermark"
CURRENT = "current_watermark"
#: The partition of a row, and its watermark if the row has advanced it, in real-time mode.
PLACE, MOVED = "watermark_place", "watermark_moved"
#: The watermark at the end of the input, in ms: the maximum of Spark's timestamps, a long of microseconds.
END = (2**63 - 1) // 1000
#: The watermark of rows that are never late by themselves: the watermark of the batch counts.
UNKNOWN = -(2**63)
_TIME, _END = "watermark_time", "end_of_input"


def watermark_times(plan: CompiledPlan, start: int, flow: Flow, lowering: Lowering) -> Iterator[Column]:
    """The watermarks that the source and each assigner downstream derive from a row, in ms; null for skipped rows."""
    scan = plan.node(start)
    if isinstance(scan, TableSourceScan) and scan.watermark is not None:
        yield _millis(scan.watermark.watermark_expr, flow, lowering.context(scan))
    for port in consumers(plan, start):
        node = plan.node(port.node)
        if isinstance(node, WatermarkAssigner):
            millis = _millis(node.watermark_expr, flow, lowering.context(node))
            yield millis if flow.condition is None else F.when(flow.condition, millis)
        elif is_stateless(node) and assigns_below(plan, port.node):
            for lowered in lower_stateless(node, port.index, flow, lowering):
                assert isinstance(lowered, Flow)
                yield from watermark_times(plan, port.node, lowered, lowering)


def _millis(watermark: RexNode, flow: Flow, context: ExpressionContext) -> Column:
    return F.unix_millis(as_point(to_column(watermark, flow.columns, context)))


def _least(times: Sequence[Column]) -> Column:
    return times[0] if len(times) == 1 else F.least(*times)


def with_current_watermark(
    spark: SparkSession, frame: DataFrame, times: Sequence[Column], partitions: PartitionWatermarks | None = None
) -> DataFrame:
    """Add the value of CURRENT_WATERMARK, in ms, to the rows of a source.

    Args:
        frame: the rows of the source.
        times: see `watermark_times`.
        partitions: computes it for watermarks by partition; otherwise the kernel's `CurrentWatermark` does.
    """
    own = _least(times)
    if partitions is not None:
        return frame.withColumn(CURRENT, partitions.current(own, partitions.place(frame)))
    kernel = java_class(spark.sparkContext._jvm, "org.compiledplan.kernel.host.watermarks.CurrentWatermark")
    return frame.withColumn(CURRENT, column_of(kernel.of(spark._jsparkSession, java_column(own))))


def with_watermarks(
    frame: DataFrame,
    times: Sequence[Column],
    ends: DataFrame | None,
    partitions: PartitionWatermarks | None = None,
) -> DataFrame:
    """Add to each row the watermark at which it arrives.

    Args:
        frame: the rows of a source.
        times: see `watermark_times`; empty for a source without watermarks.
        ends: the rows that signal the end of the input, see `end_of_input`.
        partitions: computes watermarks by partition; otherwise Spark derives its own from the times.
    """
    if not times:
        return frame.withColumn(WATERMARK, F.lit(None).cast("bigint"))
    own = _least(times)
    place = None if partitions is None else partitions.place(frame)
    # If the driver sets the watermark, Spark gets only the end's time.
    time = own if partitions is None else F.lit(0).cast("bigint")
    if ends is not None:
        # Spark fills the columns of the end's row with nulls, in one call.
        frame = frame.withColumn(_END, F.lit(None).cast("bigint")).unionByName(ends, allowMissingColumns=True)
        time = F.coalesce(F.col(_END), time)
        place = None if place is None else F.when(F.col(_END).isNull(), place)
    timed = frame.withColumn(_TIME, F.timestamp_millis(time)).withWatermark(_TIME, "0 seconds")
    # The row's watermark depends on the rows before it, so filters must not be pushed below: Spark pushes none below
    # a non-deterministic call.
    watermark = F.call_function("row_watermark", F.unix_millis(F.col(_TIME)))
    if partitions is not None and place is not None:
        watermark = partitions.of_row(own, place)
    counted = timed.withColumn(WATERMARK, watermark)
    # Spark would prune an unread column, and then push the filter below all the same.
    rows = counted if ends is None else counted.where(F.col(_END).isNull() & F.col(WATERMARK).isNotNull())
    return rows.drop(_TIME, _END)


def with_moves(frame: DataFrame, times: Sequence[Column], partitions: PartitionWatermarks | None) -> DataFrame:
    """Add the partition, and its watermark if the row moves it: in real-time mode control rows pass it on.

    No row is late by itself: its stage knows the watermark, which arrived before the row.

    Args:
        frame: the rows of a source.
        times: see `watermark_times`; empty for a source without watermarks.
        partitions: the watermarks of its partitions; None for such a source.
    """
    if not times or partitions is None:
        return frame.withColumn(WATERMARK, F.lit(None).cast("bigint"))
    own = _least(times)
    # Timers by watermark need a column with a watermark; the driver sets Spark's.
    timed = frame.withColumn(_TIME, F.timestamp_millis(F.lit(0).cast("bigint"))).withWatermark(_TIME, "0 seconds")
    placed = timed.withColumn(PLACE, partitions.place(frame)).withColumn(WATERMARK, F.lit(UNKNOWN).cast("bigint"))
    return placed.withColumn(MOVED, partitions.moved(own, F.col(PLACE))).drop(_TIME)


def end_of_input(spark: SparkSession, folder: str) -> DataFrame:
    """The rows of the files in `folder`, which signal the end of the input; one such stream per source."""
    schema = StructType([StructField(_END, LongType(), True)])
    return spark.readStream.schema(schema).json(folder)


def end_text() -> str:
    """The content of such a file."""
    return f'{{"{_END}": {END}}}\n'


def held_back(delay: int) -> Column:
    """The watermark of the rows of an operator that holds rows back by a delay in ms; unknown stays unknown."""
    watermark = F.col(WATERMARK)
    if delay == 0:
        return watermark
    return F.when(watermark > F.lit(UNKNOWN + delay), watermark - F.lit(delay)).otherwise(watermark)


def meeting(flow: Flow) -> Flow:
    """Combine the rows of several watermark assigners: the batch's watermark counts, the minimum of all.

    Except for bounded sources. Their watermarks advance to the end of time when they end, so a row that is late for
    its own source is late.
    """
    if flow.watermark is None:
        return flow
    return replace(flow, watermark=F.when(flow.watermark.isNotNull(), F.lit(UNKNOWN)))
