"""Watermarks by partition and idle sources: sources whose watermark does not follow from all their rows alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.common import IDLE_TIMEOUT
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.execution.interfaces.connectors import PARTITION
from compiled_plan.plans.execution.operators.base import is_stateless
from compiled_plan.plans.execution.spark.java import JavaObject, column_of, java_class
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.stateless import WatermarkAssigner
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.trees import reached

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The name of the only partition of a source without partitions.
WHOLE = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """The rules for a source's watermark.

    Args:
        by_partition: True if each partition has its own watermark; otherwise all rows share one.
        idle_ms: ms without rows after which a partition is idle; 0 for never.
        every_row: True if each row may advance it; otherwise only one that is more than 200 ms ahead.
    """

    by_partition: bool = False
    idle_ms: int = 0
    every_row: bool = False

    def apart(self) -> Timing:
        """The rules with a watermark per partition."""
        return replace(self, by_partition=True)


def timings(prepared: PreparedPlan) -> dict[int, Timing]:
    """The rules for the plan's sources, by source; empty if Spark's own watermark suffices.

    Spark's own watermark is the minimum over the sources of a watermark from all rows of each.
    """
    if not (prepared.event_time or prepared.reads_watermark):
        return {}
    by_source = timings_of(prepared)
    return by_source if any(timing != Timing() for timing in by_source.values()) else {}


def timings_of(prepared: PreparedPlan) -> dict[int, Timing]:
    """The rules for all sources with watermarks, by source."""
    by_source = {}
    for source in prepared.tables:
        options = prepared.tables[source].table.options
        own, parted = _own_idle_ms(options), _has_partitions(options)
        timed = [timing for start in prepared.starts(source) for timing in _timings(prepared.plan, start, own, parted)]
        if timed:
            idle = 0 if any(timing.idle_ms == 0 for timing in timed) else max(timing.idle_ms for timing in timed)
            by_source[source] = Timing(any(t.by_partition for t in timed), idle, any(t.every_row for t in timed))
    return by_source


def _own_idle_ms(options: Mapping[str, str]) -> int | None:
    """The idle timeout in a table's options, for watermarks that are not pushed down, which lack it; or None."""
    connector = connector_spec(options.get("connector"))
    is_set = connector is not None and IDLE_TIMEOUT in connector.options and IDLE_TIMEOUT in options
    return connector.values(options).number(IDLE_TIMEOUT) if is_set and connector is not None else None


def _has_partitions(options: Mapping[str, str]) -> bool:
    """Return True if rows have partitions; otherwise a pushed-down watermark is one for all rows."""
    connector = connector_spec(options.get("connector"))
    return connector is not None and connector.source is not None and connector.source.watermarks


def _timings(plan: CompiledPlan, start: int, own_idle_ms: int | None, parted: bool) -> Iterator[Timing]:
    scan = plan.node(start)
    pushed = scan.watermark if isinstance(scan, TableSourceScan) else None
    if pushed is not None:
        yield Timing(parted, pushed.idle_ms, pushed.every_row)

    def onward(at: int) -> list[int]:
        continues = at == start or (is_stateless(plan.node(at)) and not isinstance(plan.node(at), WatermarkAssigner))
        return [node.id for node in plan.consumers(at)] if continues else []

    for at in reached(onward(start), onward):
        node = plan.node(at)
        if isinstance(node, WatermarkAssigner):
            yield Timing(idle_ms=node.idle_ms if own_idle_ms is None else own_idle_ms)


@dataclass(frozen=True, slots=True)
class PartitionWatermarks:
    """The watermarks of a source in Spark's tasks; see `PartitionWatermarks` in the kernel."""

    timing: Timing
    kernel: JavaObject

    @classmethod
    def of(cls, spark: SparkSession, timing: Timing) -> PartitionWatermarks:
        kernel = java_class(spark._jvm, "org.compiledplan.kernel.host.watermarks.PartitionWatermarks")
        return cls(timing, kernel.of(spark._jsparkSession, timing.every_row, timing.idle_ms > 0))

    def place(self, frame: DataFrame) -> Column:
        """The name of each row's partition."""
        return F.col(PARTITION) if self.timing.by_partition and PARTITION in frame.columns else F.lit(WHOLE)

    def of_row(self, own: Column, place: Column) -> Column:
        """The watermark at which each row leaves the source, in ms.

        Args:
            own: the watermark by the row's own time.
            place: its partition; null for rows that are not the source's.
        """
        return self._column(self.kernel.ofRow, own, place)

    def moved(self, own: Column, place: Column) -> Column:
        """The watermark of the partition in ms if the row has advanced it, otherwise null; see the kernel's method."""
        return self._column(self.kernel.moved, own, place)

    def current(self, own: Column, place: Column) -> Column:
        """The value of CURRENT_WATERMARK for each row, in ms."""
        return self._column(self.kernel.current, own, place)

    @staticmethod
    def _column(make: Any, own: Any, place: Any) -> Column:
        return column_of(make(own._jc, place._jc))

    def begin(self, partitions: Mapping[str, int | None], mark: int | None) -> None:
        """Begin a micro-batch with the watermarks of `partitions`, and with `mark`, the source's in this run."""
        self.kernel.begin(json.dumps({"partitions": partitions, "source": mark}))

    def reached(self, batch: int) -> dict[str, int | None]:
        """The partitions that produced rows in a micro-batch, with the watermarks of these rows."""
        watermarks: dict[str, int | None] = json.loads(str(self.kernel.reached(batch)))
        return watermarks
