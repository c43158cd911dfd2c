"""Watermarks: how the rows of a source get theirs, where they meet, and how the end of the input moves them.

Spark's watermark, one for the query, moves between micro-batches; timers fire by it. A row is late against what its
own source had reached when the row came, which is computed row by row as in Flink and travels with the row.

At the end of bounded input every source gets one more row, far in the future, out of a file in the checkpoint: it
moves the watermark and goes no further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.classic.column import Column as ClassicColumn
from pyspark.sql.types import LongType, StructField, StructType

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.expressions.zones import as_point
from compiled_plan.plans.execution.java import java_class
from compiled_plan.plans.execution.operators.base import (
    Flow,
    Lowering,
    assigns_below,
    is_stateless,
    lower_stateless,
    refuse,
)
from compiled_plan.plans.execution.program import consumers
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.stateless import WatermarkAssigner
from compiled_plan.plans.rex import RexNode

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from compiled_plan.plans.plan import CompiledPlan

WATERMARK = "watermark"
CURRENT = "current_watermark"
#: The watermark at the end of the input, ms: the last that Spark's timestamps, a long of microseconds, hold.
END = (2**63 - 1) // 1000
#: Never late by itself: the watermark of the batch counts.
UNKNOWN = -(2**63)
_TIME, _END = "watermark_time", "end_of_input"


def watermark_times(plan: CompiledPlan, start: int, flow: Flow, lowering: Lowering) -> Iterator[Column]:
    """What the source and each watermark assigner over it makes of a row, in ms; null for rows it does not get."""
    scan = plan.node(start)
    if isinstance(scan, TableSourceScan) and scan.watermark is not None:
        yield _millis(scan.watermark.watermark_expr, flow, lowering.context(scan))
    for port in consumers(plan, start):
        node = plan.node(port.node)
        if isinstance(node, WatermarkAssigner):
            millis = _millis(node.watermark_expr, flow, lowering.context(node))
            yield millis if flow.condition is None else F.when(flow.condition, millis)
        elif is_stateless(node) and assigns_below(plan, port.node):
            for made in lower_stateless(node, port.index, flow, lowering):
                if not isinstance(made, Flow):
                    raise refuse(node, "it is below a watermark assigner")
                yield from watermark_times(plan, port.node, made, lowering)


def _millis(watermark: RexNode, flow: Flow, context: ExpressionContext) -> Column:
    return F.unix_millis(as_point(to_column(watermark, flow.columns, context)))


def with_current_watermark(spark: SparkSession, frame: DataFrame, times: Sequence[Column]) -> DataFrame:
    """The rows of a source with what CURRENT_WATERMARK gives for each, in ms; see `CurrentWatermark` in the kernel."""
    kernel = java_class(spark.sparkContext._jvm, "org.compiledplan.kernel.host.CurrentWatermark")
    own: Any = times[0] if len(times) == 1 else F.least(*times)
    return frame.withColumn(CURRENT, ClassicColumn(kernel.of(spark._jsparkSession, own._jc)))


def with_watermarks(frame: DataFrame, times: Sequence[Column], ends: DataFrame | None) -> DataFrame:
    """The rows with the watermark at which each arrives; Spark learns of the times.

    Args:
        frame: the rows of a source.
        times: see `watermark_times`; none for a source without watermarks.
        ends: the rows that tell of the end of the input, see `end_of_input`.
    """
    if not times:
        return frame.withColumn(WATERMARK, F.lit(None).cast("bigint"))
    time = times[0] if len(times) == 1 else F.least(*times)
    if ends is not None:
        nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in frame.schema.fields]
        frame = frame.withColumn(_END, F.lit(None).cast("bigint")).unionByName(ends.select(*nothing, F.col(_END)))
        time = F.coalesce(F.col(_END), time)
    timed = frame.withColumn(_TIME, F.timestamp_millis(time))
    # The row's watermark depends on the rows before it, so no filter may get below: Spark moves none below a call that
    # is not deterministic.
    counted = timed.withWatermark(_TIME, "0 seconds").withColumn(
        WATERMARK, F.call_function("row_watermark", F.unix_millis(F.col(_TIME)))
    )
    # Where nobody reads the column it would be left out, and the filter would get below all the same.
    kept = counted if ends is None else counted.where(F.col(_END).isNull() & F.col(WATERMARK).isNotNull())
    return kept.drop(_TIME, _END)


def end_of_input(spark: SparkSession, folder: str) -> DataFrame:
    """The rows of the files in `folder`, which say that the input has ended; one such stream for each source."""
    schema = StructType([StructField(_END, LongType(), True)])
    return spark.readStream.schema(schema).json(folder)


def end_text() -> str:
    """What is written into such a file."""
    return f'{{"{_END}": {END}}}\n'


def held_back(delay: int) -> Column:
    """The watermark of the rows of an operator that holds it back by so many ms; what is unknown stays unknown."""
    watermark = F.col(WATERMARK)
    if delay == 0:
        return watermark
    return F.when(watermark > F.lit(UNKNOWN + delay), watermark - F.lit(delay)).otherwise(watermark)


def meeting(flow: Flow) -> Flow:
    """The rows where those of several watermark assigners meet: the batch's watermark counts, the least of all.

    Not so with bounded sources. Their watermarks go to the end of time when they are through, so that what is late
    against its own source is late.
    """
    if flow.watermark is None:
        return flow
    return replace(flow, watermark=F.when(flow.watermark.isNotNull(), F.lit(UNKNOWN)))
