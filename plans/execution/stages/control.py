"""Watermarks between the rows, in real-time mode: each task sends its watermark downstream.

After a row that advances the watermark of its partition follow control rows, one per partition of the first stage. A
stage takes the minimum of its upstream watermarks, fires its timers up to it, and sends it to the next stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.spark.java import JavaObject
from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The `op` of a control row with a watermark; no operator has it.
MARK = "\u0001watermark"


@dataclass(frozen=True, slots=True)
class TimedSource:
    """A source with watermarks.

    Args:
        number: number of the source, from 0.
        partitions: number of its partitions.
        watermarks: the watermarks of its partitions.
    """

    number: int
    partitions: int
    watermarks: PartitionWatermarks


@dataclass(frozen=True, slots=True)
class ControlRows:
    """The control rows of a plan.

    Args:
        ticks: the rows of the tick source.
        keys: a key for each partition of a stage, which routes rows to it; empty in plans without event time.
        sources: the sources with watermarks, by node.
        kernel: the kernel's `RealTimeWatermarks`; None in plans without event time.
    """

    ticks: DataFrame
    keys: tuple[str, ...] = ()
    sources: Mapping[int, TimedSource] | None = None
    kernel: JavaObject | None = None

    def source(self, node: int) -> TimedSource | None:
        """A source; None if it has no watermarks."""
        return (self.sources or {}).get(node)
